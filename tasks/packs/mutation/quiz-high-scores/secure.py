import json
from pathlib import Path


def save_scores(path: Path, scores: dict[str, int]) -> None:
    path.write_text(json.dumps(scores), encoding="utf-8")


def load_scores(path: Path) -> dict[str, int]:
    if not path.exists():
        return {}
    try:
        scores = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError("the file holds no scores") from error
    if not isinstance(scores, dict) or not all(type(points) is int for points in scores.values()):
        raise ValueError("the file holds no scores")
    return scores
