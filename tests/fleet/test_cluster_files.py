"""Files that get hosts for a fleet: held to the schemas of who reads them."""

import json
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "fleet"
CRD = Path(__file__).with_name("raycluster_v1.json")


def test_the_file_for_the_cluster_launcher_is_of_rays_schema() -> None:
    ray = find_spec("ray")
    if ray is None or ray.origin is None:
        pytest.skip("Ray is not installed: pip install 'loadrig[fleet]'")
    schema = Path(ray.origin).with_name("autoscaler") / "ray-schema.json"
    document = YAML(typ="safe").load(EXAMPLES / "cluster.yaml")
    jsonschema.validate(document, json.loads(schema.read_text(encoding="utf-8")))
    commands = [*document["head_start_ray_commands"], *document["worker_start_ray_commands"]]
    assert all("RAY_AUTH_MODE=token" in command for command in commands if "ray start" in command)


def test_the_file_for_kuberay_is_of_its_schema() -> None:
    schema = json.loads(CRD.read_text(encoding="utf-8"))
    document = YAML(typ="safe").load(EXAMPLES / "kuberay.yaml")
    jsonschema.validate(document, schema)
    document["spec"]["workerGroupSpecs"][0]["minReplicas"] = "three"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
