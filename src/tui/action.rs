//! Every action a key can stand for, in one table: footer, help screen, keymap, `quarterdeck keys` and the documentation
//! come from here and from nowhere else.
//!
//! Lower case looks, upper case acts (specs: tui a1); everything in this version only looks.

use crate::messages::{Lang, Msg, tui as m};

/// Where an action belongs. A key may stand for one action in each group; the more special group wins where both apply
/// (Desired over Matrix and Document over List over Motion over Global).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// On the screens of desired state.
    Desired,
    /// On the Matrix.
    Matrix,
    /// In documents: YAML, details, help.
    Document,
    /// In every list.
    List,
    /// Moving about.
    Motion,
    /// Everywhere; done by the app, not by a screen.
    Global,
}

impl Group {
    /// Its name on the help screen.
    pub fn title(self) -> Msg {
        match self {
            Self::Desired => m::G_DESIRED,
            Self::Matrix => m::G_MATRIX,
            Self::Document => m::G_DOCUMENT,
            Self::List => m::G_LIST,
            Self::Motion => m::G_MOTION,
            Self::Global => m::G_GLOBAL,
        }
    }
}

/// What is known of an action.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The action.
    pub id: ActionId,
    /// Stable name, used in `keys.yaml`.
    pub name: &'static str,
    /// Keys as shipped, the one that is shown first.
    pub keys: &'static [&'static str],
    /// Group.
    pub group: Group,
    /// 0 looks only ... 4 deletes (specs: tui a10).
    pub danger: u8,
    /// Word for the footer.
    pub short: Msg,
    /// Sentence for the help.
    pub help: Msg,
}

macro_rules! actions {
    ($( $id:ident $name:literal $group:ident $danger:literal [$($key:literal),+] $short:ident $help:ident; )+) => {
        /// An action.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ActionId { $( #[doc = $name] $id ),+ }

        /// The table.
        pub const ALL: &[Info] = &[ $( Info {
            id: ActionId::$id, name: $name, keys: &[$($key),+], group: Group::$group, danger: $danger,
            short: m::$short, help: m::$help,
        } ),+ ];
    };
}

actions! {
    Down "table.down" Motion 0 ["j", "down"] S_DOWN L_DOWN;
    Up "table.up" Motion 0 ["k", "up"] S_UP L_UP;
    Top "table.top" Motion 0 ["g", "home"] S_TOP L_TOP;
    Bottom "table.bottom" Motion 0 ["G", "end"] S_BOTTOM L_BOTTOM;
    HalfDown "table.half-down" Motion 0 ["ctrl-d"] S_HALF_DOWN L_HALF_DOWN;
    HalfUp "table.half-up" Motion 0 ["ctrl-u"] S_HALF_UP L_HALF_UP;
    PageDown "table.page-down" Motion 0 ["ctrl-f", "pgdn"] S_PAGE_DOWN L_PAGE_DOWN;
    PageUp "table.page-up" Motion 0 ["ctrl-b", "pgup"] S_PAGE_UP L_PAGE_UP;
    Left "table.left" Motion 0 ["left"] S_LEFT L_LEFT;
    Right "table.right" Motion 0 ["right"] S_RIGHT L_RIGHT;
    PageLeft "table.page-left" Motion 0 ["H"] S_PAGE_LEFT L_PAGE_LEFT;
    PageRight "table.page-right" Motion 0 ["L"] S_PAGE_RIGHT L_PAGE_RIGHT;
    NextPane "pane.next" Motion 0 ["tab"] S_NEXT_PANE L_NEXT_PANE;
    PreviousPane "pane.previous" Motion 0 ["shift-tab"] S_PREVIOUS_PANE L_PREVIOUS_PANE;
    Pane1 "pane.1" Motion 0 ["1"] S_PANE_1 L_PANE_1;
    Pane2 "pane.2" Motion 0 ["2"] S_PANE_2 L_PANE_2;
    Pane3 "pane.3" Motion 0 ["3"] S_PANE_3 L_PANE_3;
    Open "list.open" List 0 ["enter"] S_OPEN L_OPEN;
    Mark "list.mark" List 0 ["space"] S_MARK L_MARK;
    MarkRange "list.mark-range" List 0 ["v", "ctrl-space"] S_MARK_RANGE L_MARK_RANGE;
    ClearMarks "list.clear-marks" List 0 ["ctrl-\\"] S_CLEAR_MARKS L_CLEAR_MARKS;
    Describe "list.details" List 0 ["d"] S_DESCRIBE L_DESCRIBE;
    Yaml "list.yaml" List 0 ["Y"] S_YAML L_YAML;
    Copy "list.copy" List 0 ["y"] S_COPY L_COPY;
    Sort "list.sort" List 0 ["s"] S_SORT L_SORT;
    Columns "list.columns" List 0 ["c"] S_COLUMNS L_COLUMNS;
    Wide "list.wide" List 0 ["w"] S_WIDE L_WIDE;
    Problems "list.problems" List 0 ["o"] S_PROBLEMS L_PROBLEMS;
    Refresh "list.reconnect" List 0 ["ctrl-r"] S_REFRESH L_REFRESH;
    LogIn "list.log-in" List 0 ["I"] S_LOG_IN L_LOG_IN;
    Zoom "pane.zoom" List 0 ["z"] S_ZOOM L_ZOOM;
    Save "list.save" List 0 ["ctrl-s"] S_SAVE L_SAVE;
    Actions "list.actions" List 0 ["a"] S_ACTIONS L_ACTIONS;
    MarkCluster "placement.mark-cluster" Desired 0 ["space"] S_MARK_CLUSTER L_MARK_CLUSTER;
    Suppose "placement.what-if" Desired 0 ["a"] S_SUPPOSE L_SUPPOSE;
    Differences "desired.differences" Desired 0 ["f"] S_DIFFERENCES L_DIFFERENCES;
    Edit "desired.edit" Desired 0 ["e"] S_EDIT L_EDIT;
    SaveSituation "desired.save-situation" Desired 0 ["ctrl-s"] S_SAVE_SITUATION L_SAVE_SITUATION;
    Findings "desired.findings" Desired 0 ["o"] S_FINDINGS L_FINDINGS;
    Group "matrix.group" Matrix 0 ["b"] S_GROUP L_GROUP;
    CellShows "matrix.cell-shows" Matrix 0 ["i"] S_CELL_SHOWS L_CELL_SHOWS;
    CellLeft "matrix.left" Matrix 0 ["h", "left"] S_CELL_LEFT L_CELL_LEFT;
    CellRight "matrix.right" Matrix 0 ["l", "right"] S_CELL_RIGHT L_CELL_RIGHT;
    Differing "matrix.differing" Matrix 0 ["o"] S_DIFFERING L_DIFFERING;
    NextHit "document.next-hit" Document 0 ["n"] S_NEXT_HIT L_NEXT_HIT;
    PreviousHit "document.previous-hit" Document 0 ["N"] S_PREVIOUS_HIT L_PREVIOUS_HIT;
    Wrap "document.wrap" Document 0 ["w"] S_WRAP L_WRAP;
    LineNumbers "document.line-numbers" Document 0 ["#"] S_LINE_NUMBERS L_LINE_NUMBERS;
    Toggle "document.managed-fields" Document 0 ["t"] S_TOGGLE L_TOGGLE;
    Filter "app.filter" Global 0 ["/"] S_FILTER L_FILTER;
    ClusterFilter "app.clusters" Global 0 ["\\"] S_CLUSTER_FILTER L_CLUSTER_FILTER;
    Command "app.command" Global 0 [":"] S_COMMAND L_COMMAND;
    Help "app.help" Global 0 ["?", "f1"] S_HELP L_HELP;
    Back "app.back" Global 0 ["esc"] S_BACK L_BACK;
    Quit "app.quit" Global 0 ["q"] S_QUIT L_QUIT;
    Cancel "app.cancel" Global 0 ["ctrl-c"] S_CANCEL L_CANCEL;
    Matrix "app.matrix" Global 0 ["m"] S_MATRIX L_MATRIX;
    Placement "app.placement" Global 0 ["p"] S_PLACEMENT L_PLACEMENT;
    PreviousView "app.previous-view" Global 0 ["-"] S_PREVIOUS_VIEW L_PREVIOUS_VIEW;
    HistoryBack "app.history-back" Global 0 ["["] S_HISTORY_BACK L_HISTORY_BACK;
    HistoryForward "app.history-forward" Global 0 ["]"] S_HISTORY_FORWARD L_HISTORY_FORWARD;
    Notices "app.notices" Global 0 [";"] S_NOTICES L_NOTICES;
    Redraw "app.redraw" Global 0 ["ctrl-l"] S_REDRAW L_REDRAW;
    Suspend "app.suspend" Global 0 ["ctrl-z"] S_SUSPEND L_SUSPEND;
    Mouse "app.mouse" Global 0 ["ctrl-t"] S_MOUSE L_MOUSE;
}

impl ActionId {
    /// What is known of it.
    pub fn info(self) -> &'static Info {
        // The table is generated from the same list as the enum, in the same order.
        &ALL[self as usize]
    }

    /// The action with this stable name.
    pub fn named(name: &str) -> Option<Self> {
        ALL.iter().find(|i| i.name == name).map(|i| i.id)
    }

    /// Word for the footer.
    pub fn short(self, lang: Lang) -> &'static str {
        self.info().short.text(lang)
    }

    /// Sentence for the help.
    pub fn help(self, lang: Lang) -> &'static str {
        self.info().help.text(lang)
    }
}

/// The actions a list screen usually has, in foot order: screens build theirs from these.
pub const MOTIONS: &[ActionId] = &[
    ActionId::Down,
    ActionId::Up,
    ActionId::Top,
    ActionId::Bottom,
    ActionId::HalfDown,
    ActionId::HalfUp,
    ActionId::PageDown,
    ActionId::PageUp,
    ActionId::Left,
    ActionId::Right,
    ActionId::PageLeft,
    ActionId::PageRight,
];
