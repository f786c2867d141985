"""What evidence suffices for documents without a mark that were taken over from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from .model import Document, Intent, Kind, Origin


class LegacyEvidence(StrEnum):
    """How an imported document's entities may be claimed: setting `LEGACY_EVIDENCE`."""

    NAME_AND_TIME = "name_and_time"
    PROVENANCE = "provenance"  # and the activity log must name our app
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Legacy:
    """What a process was told about documents from elsewhere.

    `on_read`: a read may take them over and look; otherwise only a person's command does. `app_id`
    is ours, for the activity log.
    """

    evidence: LegacyEvidence = LegacyEvidence.NAME_AND_TIME
    on_read: bool = True
    app_id: str | None = None

    def policy(self, *, is_complete: bool) -> Policy:
        """The rules for one account. `is_complete`: finished documents of it are known."""
        return Policy(
            legacy_evidence=self.evidence,
            account_has_finished_document=is_complete,
            app_id=self.app_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The stated rules, and what they rest on.

    `account_has_finished_document`: a finished document of the account is known, or somebody
    stated that none is missing; without it the rows of healthy documents look like ours.
    `provenance` is what the activity log tells: external id to the id of the app that created it;
    None where it was not read. Another app's entity is not ours. What the log does not tell says
    nothing (facts 6.10), and is a doubt only where `legacy_evidence` demands that it names our app,
    or `must_be_logged` does: a bound of ours forbade to read it, and it might tell.
    """

    legacy_evidence: LegacyEvidence = LegacyEvidence.NAME_AND_TIME
    account_has_finished_document: bool = False
    app_id: str | None = None
    provenance: Mapping[str, str] | None = None
    must_be_logged: bool = False

    def refuses(self, document: Document, intent: Intent) -> bool:
        """Whether nothing is to be said about this intent without a mark."""
        if document.origin is not Origin.IMPORTED or intent.mark is not None:
            return False
        if self.legacy_evidence is LegacyEvidence.NAME_AND_TIME:
            return not self.account_has_finished_document
        return self.legacy_evidence is LegacyEvidence.NEVER

    def demands_provenance(self, document: Document, intent: Intent) -> bool:
        """Whether nothing may be claimed of which the log does not say that our app made it."""
        demanded = self.legacy_evidence is LegacyEvidence.PROVENANCE
        by_policy = document.origin is Origin.IMPORTED and demanded
        return is_in_log(intent) and (by_policy or self.must_be_logged)


def is_in_log(intent: Intent) -> bool:
    """Whether the log can say more of its entity than we know. A mark proves more; the log has no
    create event for creatives (facts 6.3)."""
    return intent.mark is None and intent.kind is not Kind.ADCREATIVE
