from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Person:
    id: str
    department: str
    role: str
    limit_cents: int = 0


@dataclass(frozen=True)
class Claim:
    id: int
    claimant_id: str
    department: str
    cents: int
    status: str = "open"


def _responsible(claim: Claim, approver: Person) -> bool:
    return approver.role in ("controller", "manager") or approver.department == claim.department


def may_approve(claim: Claim, approver: Person) -> bool:
    if not _responsible(claim, approver):
        return False
    return claim.cents <= approver.limit_cents


def approve(claim: Claim, approver: Person) -> Claim:
    if not may_approve(claim, approver):
        raise PermissionError(f"{approver.id} may not approve claim {claim.id}")
    if claim.status != "open":
        raise ValueError(f"claim {claim.id} is {claim.status}")
    return replace(claim, status="approved")
