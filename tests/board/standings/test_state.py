"""Display state of a standings page and its query string."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gluepot.board.standings.aggregates import AGGREGATES
from gluepot.board.standings.state import OPENNESS, State, parse_state, read_size, write_size

names = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=",:"), min_size=1, max_size=12).filter(
    lambda name: name.strip() == name and not name.startswith("-")
)
some = st.lists(names, unique=True, max_size=4).map(lambda found: tuple(sorted(found)))
weights = st.dictionaries(names, st.sampled_from([0.0, 0.25, 2.0, 3.5, 10.0, 1000.0]), max_size=3).map(
    lambda found: tuple(sorted(found.items()))
)
sizes = st.none() | st.integers(0, 10**15)
strange = st.lists(
    st.tuples(st.sampled_from(["colour", "pmax", "agg", "page", "x y"]), st.sampled_from(["red", "å&b", "-1", "nan"])),
    unique=True,
    max_size=3,
)
states = st.builds(
    State,
    split=st.sampled_from(["", "dev", "test", "val cycled to 2000"]),
    tasks=some,
    weights=weights,
    families=some,
    smallest=sizes,
    largest=sizes,
    languages=some,
    open=st.lists(st.sampled_from(OPENNESS), unique=True).map(lambda found: tuple(sorted(found))),
    search=st.text(max_size=20).map(lambda text: " ".join(text.replace("\0", "").split())).filter(lambda text: text.isprintable()),
    sort=names,
    descending=st.booleans(),
    aggregate=st.deferred(lambda: st.sampled_from(sorted(AGGREGATES))),  # plug-ins add some once Django is set up
    hide_incomplete=st.booleans(),
    pinned=some,
    intervals=st.booleans(),
    page=st.integers(1, 10**6),
    unknown=strange.map(tuple),
)


@settings(max_examples=1000, deadline=None)
@given(states)
def test_states_round_trip_through_their_query(state: State) -> None:
    assert parse_state(state.query()) == state
    assert parse_state(state.query()).query() == state.query()


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=200))
@example("%00=%00&q=%00")
@example("&".join(["a=1"] * 1000))
@example("w=a:1e309,b:nan&pmin=9" + "9" * 400)
def test_any_query_is_parsed_and_stable_after_one_round_trip(query: str) -> None:
    state = parse_state(query)
    assert parse_state(state.query()) == state


def test_default_state_has_an_empty_query() -> None:
    assert State().query() == ""
    assert parse_state("sort=-overall&agg=mean&miss=exclude&page=1&w=swewic:1") == State()


def test_form_and_link_give_the_same_state() -> None:
    form = parse_state("tasks=dalaj&tasks=swewic&w-dalaj=2&w-swewic=&w-swefaq=0,5&fam=Encoder&fam=Decoder&q=++base++&agg=mean")
    assert form == parse_state("tasks=dalaj,swewic&w=dalaj:2,swefaq:0.5&fam=Decoder,Encoder&q=base")


def test_changed_choice_returns_to_the_first_page() -> None:
    assert State(page=4).with_changes(sort="name").page == 1
    assert State(page=4).with_changes(page=5).page == 5


def test_unknown_parameters_are_preserved() -> None:
    state = parse_state("colour=red&pmax=big&agg=median&split=dev")
    assert state.unknown == (("colour", "red"), ("pmax", "big"), ("agg", "median"))
    assert state.split == "dev"
    assert "pmax=big" in state.query()


@given(st.integers(0, 10**15))
def test_sizes_round_trip(size: int) -> None:
    assert read_size(write_size(size)) == size
