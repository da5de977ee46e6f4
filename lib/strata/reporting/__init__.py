"""The bench's figures as one HTML file that needs nothing else: tables, a heat map, charts as inline SVG."""
