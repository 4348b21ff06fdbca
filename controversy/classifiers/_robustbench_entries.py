"""What RobustBench 1.1.1 lists for ImageNet: facts of the package, so that listing imports nothing of it.

A test compares them with the installed package.
"""

from typing import NamedTuple


class ZooEntry(NamedTuple):
    """One entry.

    Attributes:
        threat: "Linf" or "corruptions".
        key: The package's name.
        protocol: How photographs reach it in the package's evaluation; "timm" where timm's facts say.
        published: Where its files are, in their order: an URL, or ``gdrive:`` and a number.
    """

    threat: str
    key: str
    protocol: str
    published: tuple[str, ...]


_LINF = (
    ("Wong2020Fast", "Crop288", ("gdrive:1deM2ZNS5tf3S_-eRURJi-IlvUL8WJQ_w",)),
    ("Engstrom2019Robustness", "Res256Crop224", ("gdrive:1T2Fvi1eCJTeAOEzrH_4TAIwO8HTOYVyn",)),
    ("Salman2020Do_R50", "Res256Crop224", ("gdrive:1TmT5oGa1UvVjM3d-XeSj_XmKqBNRUg8r",)),
    ("Salman2020Do_R18", "Res256Crop224", ("gdrive:1OThCOQCOxY6lAgxZxgiK3YuZDD7PPfPx",)),
    ("Salman2020Do_50_2", "Res256Crop224", ("gdrive:1OT7xaQYljrTr3vGbM37xK9SPoPJvbSKB",)),
    ("Standard_R50", "Res256Crop224", ("https://download.pytorch.org/models/resnet50-0676ba61.pth",)),
    (
        "Debenedetti2022Light_XCiT-S12",
        "timm",
        (
            "https://github.com/RobustBench/robustbench/releases/download/v1.1/debenedetti2022light-xcit-s-imagenet-linf.pth.tar",
        ),
    ),
    (
        "Debenedetti2022Light_XCiT-M12",
        "timm",
        (
            "https://github.com/RobustBench/robustbench/releases/download/v1.1/debenedetti2022light-xcit-m-imagenet-linf.pth.tar",
        ),
    ),
    (
        "Debenedetti2022Light_XCiT-L12",
        "timm",
        (
            "https://github.com/RobustBench/robustbench/releases/download/v1.1/debenedetti2022light-xcit-l-imagenet-linf.pth.tar",
        ),
    ),
    (
        "Singh2023Revisiting_ViT-S-ConvStem",
        "BicubicRes256Crop224",
        ("gdrive:1-1sUYXnj6bDXacIKI3KKqn4rlkmL-ZI2",),
    ),
    (
        "Singh2023Revisiting_ViT-B-ConvStem",
        "BicubicRes256Crop224",
        ("gdrive:1-JBbfi_eH3tKMXObvPPHprrZae0RiQGT",),
    ),
    (
        "Singh2023Revisiting_ConvNeXt-T-ConvStem",
        "BicubicRes256Crop224",
        ("gdrive:1-FjtOF6LJ3-bf4VezsmWwncCxYSx-USP",),
    ),
    (
        "Singh2023Revisiting_ConvNeXt-S-ConvStem",
        "BicubicRes256Crop224",
        ("gdrive:1-ZrMYajCCnrtV4oT0wa3qJJoQy1nUSnL",),
    ),
    (
        "Singh2023Revisiting_ConvNeXt-B-ConvStem",
        "BicubicRes256Crop224",
        ("gdrive:1-lE-waaVvfL7lgBrydmZIM9UJimmHnVe",),
    ),
    (
        "Singh2023Revisiting_ConvNeXt-L-ConvStem",
        "BicubicRes256Crop224",
        ("gdrive:10-YOVdM2EQjHemSi9x2H44qKRSOXVQmh",),
    ),
    (
        "Liu2023Comprehensive_ConvNeXt-B",
        "BicubicRes256Crop224",
        ("gdrive:10-nSm-qUftvfKXHeOAakBQl8rxm-jCbk",),
    ),
    (
        "Liu2023Comprehensive_ConvNeXt-L",
        "BicubicRes256Crop224",
        ("gdrive:1dIPLNfdQtAnqZrKPyuy3_zDI-FVgJ2FH",),
    ),
    ("Liu2023Comprehensive_Swin-B", "BicubicRes256Crop224", ("gdrive:1-4mtxQCkThJUVdS3wvQ6NnmMZuySqR3c",)),
    ("Liu2023Comprehensive_Swin-L", "BicubicRes256Crop224", ("gdrive:1-57sQfcrsDsslfDR18nRD7FnpQmsSBk7",)),
    ("Peng2023Robust", "Res256Crop224", ("gdrive:1-GpZ9Du83mBTN61Ytx9z_ZQSyIc1kYop",)),
    (
        "Bai2024MixedNUTS",
        "BicubicRes256Crop224",
        (
            "gdrive:1-2CwsRuMZXr99PeU2Z7-iFjl_86uIR-Y",
            "gdrive:1-57sQfcrsDsslfDR18nRD7FnpQmsSBk7",
        ),
    ),
    ("Chen2024Data_WRN_50_2", "Res256Crop224", ("gdrive:1-PBlZVILAKFQ7mF8srKjdkTKJZAr61Uf",)),
    ("Mo2022When_Swin-B", "Res224", ("gdrive:1-SXi4Z2X6Zo_j8EO4slJcBMXNej8fKUd",)),
    ("Mo2022When_ViT-B", "Res224", ("gdrive:1-dUFdvDBflqMsMLjZv3wlPJTm-Jm7net",)),
    ("Amini2024MeanSparse_ConvNeXt-L", "BicubicRes256Crop224", ("gdrive:1-LUMPqauSx68bPmZFIuklFoJ6NmBhu7A",)),
    ("Amini2024MeanSparse_Swin-L", "BicubicRes256Crop224", ("gdrive:1-KmvrDXd_kcJS-TcNmtHP5NInQ5I4lgS",)),
    (
        "RodriguezMunoz2024Characterizing_Swin-B",
        "BicubicRes256Crop224",
        ("gdrive:1-BSUjoFXx3PP-TfeE5fjbofO2lLyUf56",),
    ),
    (
        "RodriguezMunoz2024Characterizing_Swin-L",
        "BicubicRes256Crop224",
        ("gdrive:1-Dc9WhPU2wv4OMskLo1U57n5O8VbpNXv",),
    ),
    ("Xu2024MIMIR_Swin-B", "BicubicRes256Crop224", ("gdrive:1CkuhAOvqB8Ma1WYsJJ4qDiyVld28pqpx",)),
    ("Xu2024MIMIR_Swin-L", "BicubicRes256Crop224", ("gdrive:1-1VIAy1Qn4KX6whAIeKZqWL4wkSEdba4",)),
)

_CORRUPTIONS = (
    ("Erichson2022NoisyMix", "Res256Crop224", ("gdrive:1wFsiB5h4Fgv6HqOkI_1jR1SZOB_eNK9r",)),
    ("Erichson2022NoisyMix_new", "Res256Crop224", ("gdrive:1Na79fzPZ0Azg01h6kGn1Xu5NoWOElSuG",)),
    ("Geirhos2018_SIN", "Res256Crop224", ("gdrive:1hLgeY_rQIaOT4R-t_KyOqPNkczfaedgs",)),
    ("Geirhos2018_SIN_IN", "Res256Crop224", ("gdrive:139pWopDnNERObZeLsXUysRcLg6N1iZHK",)),
    ("Geirhos2018_SIN_IN_IN", "Res256Crop224", ("gdrive:1xOvyuxpOZ8I5CZOi0EGYG_R6tu3ZaJdO",)),
    ("Hendrycks2020Many", "Res256Crop224", ("gdrive:1kylueoLtYtxkpVzoOA1B6tqdbRl2xt9X",)),
    ("Hendrycks2020AugMix", "Res256Crop224", ("gdrive:1xRMj1GlO93tLoCMm0e5wEvZwqhIjxhoJ",)),
    ("Salman2020Do_50_2_Linf", "Res256Crop224", ("gdrive:1OT7xaQYljrTr3vGbM37xK9SPoPJvbSKB",)),
    ("Standard_R50", "Res256Crop224", ("https://download.pytorch.org/models/resnet50-0676ba61.pth",)),
    ("AlexNet", "Res256Crop224", ("https://download.pytorch.org/models/alexnet-owt-7be5be79.pth",)),
    (
        "Tian2022Deeper_DeiT-S",
        "Res256Crop224",
        (
            "https://github.com/RobustBench/robustbench/releases/download/v1.1.1-test/tian2022deeper-deit-s.pth",
        ),
    ),
    (
        "Tian2022Deeper_DeiT-B",
        "Res256Crop224",
        (
            "https://github.com/RobustBench/robustbench/releases/download/v1.1.1-test/tian2022deeper-deit-b.pth",
        ),
    ),
)

ENTRIES = tuple(
    ZooEntry(threat, *facts)
    for threat, group in (("Linf", _LINF), ("corruptions", _CORRUPTIONS))
    for facts in group
)
