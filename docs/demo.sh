#!/usr/bin/env bash
# What `make demo` shows: first what needs no vectors, then what does. Run from the root of the clone.
set -euo pipefail
export PATH="$PWD/.venv/bin:$PATH"

show() { # the command as a user would type it, then its output
  printf '\n$'
  for word in "$@"; do
    case "$word" in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
  "$@"
}

case "${1:?keyword or hybrid}" in
  keyword)
    echo; echo "== Keyword search, while the rest is still on its way =="
    show keyword_search_cli bm25search "notting hill" --limit 2
    show keyword_search_cli explain "cute british bear marmalade" 393
    ;;
  hybrid)
    echo; echo "== Vectors: every film's text in chunks of four sentences (once; later only what changed) =="
    show semantic_search_cli embed_chunks
    echo; echo "== Hybrid search: both lists, fused by rank =="
    show hybrid_search_cli rrf-search "cute british bear marmalade" --limit 3
    show hybrid_search_cli trace "a poor community pays a small group of warriors to protect it from robbers"
    echo; echo "== The query corrected, and an answer whose citations are checked (no key: both by rule) =="
    show hybrid_search_cli rrf-search "pengiuns walking acros antartica documentry" --enhance spell --limit 1
    show augmented_generation_cli citations "romantic comedy recommendations" --limit 3
    printf '\nTry next: source .venv/bin/activate && strata\n'
    ;;
esac
