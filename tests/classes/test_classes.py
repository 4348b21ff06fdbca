"""Classes: ImageNet's are timm's, named once each, and mapped to basic categories as published."""

import pandas as pd
import pytest

from controversy.classes import (
    IMAGENET,
    basic_categories,
    class_index,
    class_table,
    read_class_names,
    rename_classes,
)
from controversy.errors import ControversyError

# How many of ImageNet's classes a category has: lengths of the lists in model-vs-human's human_categories.py.
N_CLASSES = {
    "airplane": 1, "bear": 4, "bicycle": 2, "bird": 49, "boat": 5, "bottle": 7, "car": 3, "cat": 6,
    "chair": 4, "clock": 3, "dog": 109, "elephant": 2, "keyboard": 2, "knife": 1, "oven": 1, "truck": 8,
}  # fmt: skip


@pytest.fixture(scope="module")
def imagenet():
    return class_table(IMAGENET)


@pytest.fixture(scope="module")
def published():
    from timm.data import ImageNetInfo

    return ImageNetInfo()


def test_indices_and_wordnet_ids_are_those_of_timm(imagenet, published):
    assert imagenet["index"].tolist() == list(range(1000))
    assert imagenet["wnid"].tolist() == published.label_names()


def test_a_name_begins_with_the_first_lemma_or_says_which_of_two_things_is_meant(imagenet, published):
    lemmas = [published.index_to_description(i).split(", ") for i in range(1000)]
    other = {i for i, name in enumerate(imagenet["name"]) if name != lemmas[i][0]}
    first = pd.Series([words[0].casefold() for words in lemmas])
    assert other == set(first[first.duplicated(keep=False)].index)  # crane, maillot, cardigan: twice each
    assert all(lemmas[i][0].casefold() in imagenet["name"][i].casefold() for i in other)


def test_no_two_names_are_the_same_to_a_reader(imagenet):
    assert imagenet["name"].str.casefold().is_unique


@pytest.mark.parametrize("word", [207, "207", "n02099601", "golden retriever", "Golden Retriever"])
def test_a_class_is_found_by_index_wordnet_id_and_name(word, imagenet):
    assert class_index(word, imagenet) == 207


@pytest.mark.parametrize("word", [1000, -1, "n00000000", "crane"])
def test_what_is_no_class_or_several_is_refused(word, imagenet):
    with pytest.raises(ControversyError, match=str(word)):
        class_index(word, imagenet)


def test_the_basic_categories_have_the_published_numbers_of_classes():
    counted = pd.Series(basic_categories(IMAGENET)).value_counts()
    assert counted.to_dict() == N_CLASSES


@pytest.mark.parametrize(
    ("index", "category"),
    [(404, "airplane"), (281, "cat"), (207, "dog"), (386, "elephant"), (499, "knife"), (867, "truck")],
)
def test_a_class_has_the_basic_category_that_a_person_would_name(index, category):
    assert basic_categories(IMAGENET)[index] == category


def test_wild_dogs_and_vehicles_between_car_and_truck_are_left_out_as_published():
    mapped = basic_categories(IMAGENET)
    assert not {269, 270, 271, 272, 273, 274, 275} & mapped.keys()  # wolves, dingo, dhole, wild dog
    assert 751 not in mapped  # racer


def test_a_study_may_use_names_of_its_own(imagenet, tmp_path):
    (tmp_path / "names.csv").write_text(
        "class,name\n207,retriever\nn03126707,building crane\n", encoding="utf-8"
    )
    renamed = rename_classes(imagenet, read_class_names(tmp_path / "names.csv"))
    assert renamed["name"][207] == "retriever"
    assert renamed["name"][517] == "building crane"
    assert renamed.drop(index=[207, 517]).equals(imagenet.drop(index=[207, 517]))


@pytest.mark.parametrize(
    ("names", "said"),
    [({207: "tench"}, "0 'tench', 207 'tench'"), ({207: " "}, "empty"), ({"unicorn": "horse"}, "unicorn")],
)
def test_names_that_people_could_not_use_are_refused(names, said, imagenet):
    with pytest.raises(ControversyError, match=said):
        rename_classes(imagenet, names)


def test_a_file_of_names_without_its_columns_or_with_a_class_twice_is_refused(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("index,label\n1,fish\n", encoding="utf-8")
    with pytest.raises(ControversyError, match="columns class and name"):
        read_class_names(path)
    path.write_text("class,name\n1,fish\n1,gold fish\n", encoding="utf-8")
    with pytest.raises(ControversyError, match="more than once"):
        read_class_names(path)


def test_a_class_set_may_be_a_file_of_ones_own(tmp_path):
    path = tmp_path / "fruit.csv"
    path.write_text("index,name\n0,apple\n1,pear\n", encoding="utf-8")
    table = class_table(str(path))
    assert table.to_dict("list") == {"index": [0, 1], "wnid": ["", ""], "name": ["apple", "pear"]}
    assert class_index("pear", table) == 1
    for text, said in [
        ("a,b\n0,1\n", "columns index and name"),
        ("index,name\n1,pear\n", "0, 1, ... in order"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ControversyError, match=said):
            class_table(str(path))


def test_an_unknown_class_set_is_refused():
    with pytest.raises(ControversyError, match="no class set 'coco'"):
        class_table("coco")
