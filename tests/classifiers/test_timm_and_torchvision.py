"""timm's and torchvision's models by name, from files where each library or this project keeps them."""

import pytest
import timm
import torch
import torchvision
from safetensors.torch import save_file

from controversy.classifiers import CLASSIFIERS, load_classifier
from controversy.classifiers._checkpoints import in_timms_names
from controversy.errors import ControversyError
from controversy.weights import hub_checkpoint, load_strictly

TIMM = "timm:mobilenetv3_small_050.lamb_in1k"
TORCHVISION = "torchvision:squeezenet1_1.IMAGENET1K_V1"


@pytest.fixture(scope="module")
def mobilenet():
    torch.manual_seed(0)
    return timm.create_model("mobilenetv3_small_050", pretrained=False).eval()


@pytest.fixture(scope="module")
def squeezenet():
    torch.manual_seed(0)
    return torchvision.models.squeezenet1_1(weights=None).eval()


def normalised(images, mean, std):
    return (images - torch.tensor(mean).view(1, 3, 1, 1)) / torch.tensor(std).view(1, 3, 1, 1)


def assert_same(name, original, mean, std):
    images = torch.rand(2, 3, 224, 224, generator=torch.Generator().manual_seed(1))
    classifier = load_classifier(name)
    with torch.no_grad():
        assert torch.allclose(classifier(images), original(normalised(images, mean, std)), atol=1e-5)
    assert classifier.name == name


def test_a_timm_model_loads_from_the_folder_of_weights(mobilenet, weights_root):
    (path,) = CLASSIFIERS[TIMM].weights
    assert path == weights_root / "timm" / "mobilenetv3_small_050.lamb_in1k.safetensors"
    path.parent.mkdir(parents=True)
    save_file(mobilenet.state_dict(), path)
    facts = timm.models.get_pretrained_cfg("mobilenetv3_small_050.lamb_in1k")
    assert_same(TIMM, mobilenet, facts.mean, facts.std)


def test_a_torchvision_model_loads_from_the_folder_of_weights_or_the_cache_of_torch_hub(
    squeezenet, weights_root
):
    imagenet = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    (own,) = CLASSIFIERS[TORCHVISION].weights
    cached = hub_checkpoint(own.name)
    cached.parent.mkdir(parents=True)
    torch.save(squeezenet.state_dict(), cached)
    assert CLASSIFIERS[TORCHVISION].weights == (cached,)
    assert_same(TORCHVISION, squeezenet, *imagenet)
    own.parent.mkdir(parents=True)
    cached.rename(own)
    assert_same(TORCHVISION, squeezenet, *imagenet)


def test_the_published_digest_of_a_torchvision_file_is_checked_on_download(weights_root):
    (download,) = CLASSIFIERS["torchvision:resnet18.IMAGENET1K_V1"].downloads
    assert download.sha256 == "f37072fd"
    assert download.path == weights_root / "torchvision" / "resnet18-f37072fd.pth"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("timm:resnet_18", "Did you mean .*timm:resnet18"),
        ("timm:resnet18.none", "with them: .*resnet18.a1_in1k"),
        ("timm:vit_base_patch16_224.augreg_in21k", "21843 classes"),
        ("torchvision:resnet19", "Did you mean .*torchvision:resnet1"),
        ("torchvision:resnet18.V7", "IMAGENET1K_V1"),
        ("tim:resnet18", "no classifier called 'tim:resnet18'"),
    ],
)
def test_names_that_a_library_does_not_know_are_refused_with_the_nearest(name, said):
    with pytest.raises(ControversyError, match=said):
        load_classifier(name)


def test_the_weights_of_another_model_are_refused(squeezenet, weights_root):
    (path,) = CLASSIFIERS[TIMM].weights
    path.parent.mkdir(parents=True)
    save_file({key: value.contiguous() for key, value in squeezenet.state_dict().items()}, path)
    with pytest.raises(ControversyError, match="does not fit"):
        load_classifier(TIMM)


@pytest.fixture(scope="module")
def swin():
    torch.manual_seed(0)
    from timm.models.swin_transformer import SwinTransformer

    return SwinTransformer(
        img_size=56, window_size=7, embed_dim=12, depths=(2, 2), num_heads=(1, 2), num_classes=5
    )


def of_old_timm(state):
    """A Swin stage ended in its downsampling, where it begins with it now; the head had no pooling."""
    old = {
        key.replace("layers.1.downsample", "layers.0.downsample").replace("head.fc.", "head."): value
        for key, value in state.items()
    }
    return {**old, "layers.0.blocks.0.attn.relative_position_index": torch.zeros(49, 49)}


def test_a_swin_of_an_older_timm_loads_under_todays_names(swin, tmp_path):
    from timm.models.swin_transformer import SwinTransformer

    other = SwinTransformer(
        img_size=56, window_size=7, embed_dim=12, depths=(2, 2), num_heads=(1, 2), num_classes=5
    )
    load_strictly(other, in_timms_names(of_old_timm(swin.state_dict()), other), tmp_path)
    images = torch.rand(1, 3, 56, 56)
    assert torch.equal(other.eval()(images), swin.eval()(images))


def test_renaming_never_resizes_a_tensor_that_has_another_shape(swin, tmp_path):
    old = of_old_timm(swin.state_dict())
    name = "layers.0.blocks.0.attn.relative_position_bias_table"
    old[name] = torch.zeros(25, 1)
    with pytest.raises(
        ControversyError, match=r"relative_position_bias_table is \[25, 1\], expected \[169, 1\]"
    ):
        load_strictly(swin, in_timms_names(old, swin), tmp_path)
