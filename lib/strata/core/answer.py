"""What an answer holds: its text, its claims, and what became of each citation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Citation:
    """One number cited for one claim. status: "supported", "unsupported" or "absent" (no such source: doc is None).

    score: how near the source comes to saying it, 0 to 1; None where absent. evidence: what the source says, or what
    is wrong.
    """

    number: int
    doc: int | None
    status: str
    claim: str
    score: float | None
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A sentence of an answer, or the part of one that its numbers stand for. status: "supported", "unsupported" or
    "absent", the worst of its citations; "uncited" where it has none. evidence: that citation's."""

    text: str
    cites: tuple[int, ...]
    status: str
    evidence: str = ""
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True)
class Answer:
    """text: plain, in lines. sources: the documents (positions) behind the numbers 1, 2, …. evidence: how much the
    sources have to say, 0 to 1; None where it was not measured. abstained: the text says that they have too little: by
    what was measured, by the model that read them, or since no sentence of theirs can be repeated.
    """

    mode: str
    text: str
    claims: tuple[Claim, ...] = ()
    abstained: bool = False
    sources: tuple[int, ...] = ()
    evidence: float | None = None

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation in the order of the text."""
        return tuple(citation for claim in self.claims for citation in claim.citations)

    @property
    def failed(self) -> tuple[Citation, ...]:
        """The citations that do not hold."""
        return tuple(citation for citation in self.citations if citation.status != "supported")

    @property
    def uncited(self) -> tuple[Claim, ...]:
        """The sentences that cite nothing."""
        return tuple(claim for claim in self.claims if claim.status == "uncited")
