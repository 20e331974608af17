//! The loop: the only place with channels, a terminal and a clock. It owns the store; input comes before data, data is
//! taken in by slices of a few milliseconds, and a frame is sent when something looks different, at most every 16 ms.

mod desired;
mod edit;

use std::{
    collections::BTreeMap,
    io::{self, Stdout},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::Context as _;
use crossterm::event::Event as Terminal;
use ratatui::{buffer::Buffer, layout::Rect};
use tokio::sync::mpsc;

use super::{
    action::ActionId,
    app::{App, Event, Task},
    clipboard::{self, Way},
    files,
    input::{self, Gate, Heard},
    kept,
    output::Output,
    screen::{Notice, Supposed},
    signals::{INTERRUPTED, Signal, Signals},
    terminal::{self, TerminalGuard},
    trace::{Cause as Why, Frame, Trace},
};
use crate::{
    config::{self, Settings, reload},
    desired::origin::At,
    fleet::{Store, delta::Delta},
    live::{self, Ask, Engine, snapshot::Saver},
    messages::{clean_line, tui as m},
    model::{Cause, CauseCode, ClusterId, KindSet, Millis, ObjectRef},
    render::worker::Picture,
};
use desired::Keeper;

/// Least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// The same while the window has no focus.
const FRAME_UNSEEN: Duration = Duration::from_secs(1);
/// Longest time for taking data in before input is looked at again.
const SLICE: Duration = Duration::from_millis(4);
/// Least time between two clusters' snapshots.
const SNAPSHOT: Duration = Duration::from_millis(50);
/// How long to wait for the continuation after a stop, where nobody sends one.
const CONTINUE: Duration = Duration::from_millis(500);
/// How long a credential plugin may take to end after Ctrl-c.
const GIVE_UP: Duration = Duration::from_secs(3);
/// How long tasks may take to end.
const END: Duration = Duration::from_millis(200);

/// Runs the console until the person or a signal ends it. `open` is a command line for the first screen (`pods`).
///
/// # Errors
/// The terminal cannot be used; the text says what to run instead.
pub fn run(settings: Arc<Settings>, request: &config::Request, open: Option<String>) -> anyhow::Result<ExitCode> {
    let term = request.env.get("TERM").cloned().unwrap_or_default();
    if let Some(why) = terminal::unusable(&term, settings.lang) {
        anyhow::bail!(why);
    }
    let lang = settings.lang;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let code = runtime.block_on(session(settings, request, open)).with_context(|| m::TERMINAL_LOST.text(lang))?;
    runtime.shutdown_timeout(END);
    Ok(code)
}

/// What comes back from work that was given away.
enum Back {
    Fetched(u64, u64, Box<Result<serde_json::Value, Cause>>),
    Notice(Notice),
    Settings(Arc<Settings>),
    Desired(Picture),
    Hub(String, Box<Result<live::HubPolicies, Cause>>),
    Supposed(u64, u64, Box<Supposed>),
}

struct Session {
    app: App,
    /// Keeps the input thread from the terminal.
    gate: Gate,
    /// A person wants to log in to this cluster, by this command.
    login: Option<(ClusterId, String)>,
    /// A person wants to open this place in an editor.
    edit: Option<At>,
    /// Folder that places of desired state are named from.
    root: PathBuf,
    /// Keeps desired state up to date, where the fleet file declares some.
    keeper: Option<Keeper>,
    store: Store,
    engine: Engine,
    guard: TerminalGuard,
    output: Output<Stdout>,
    spare: Buffer,
    env: BTreeMap<String, String>,
    request: config::Request,
    back: mpsc::UnboundedSender<Back>,
    trace: Trace,
    saver: Option<Saver>,
    /// Deltas of a batch that did not fit into the last slice.
    batch: std::vec::IntoIter<Delta>,
    /// When that batch came.
    batch_at: Instant,
    /// Why the next frame is needed.
    why: Option<Why>,
    /// The store changed since the screen was told.
    changed: bool,
    rows: u64,
    last_frame: Instant,
    last_key_frame: Instant,
    last_snapshot: Instant,
    end: Option<ExitCode>,
}

async fn session(settings: Arc<Settings>, request: &config::Request, open: Option<String>) -> io::Result<ExitCode> {
    let started = Instant::now();
    let kinds = KindSet::default();
    let mut store = Store::new(kinds.clone(), settings.services.clone());
    let options = live::Options {
        cache: settings.cache,
        env: request.env.clone(),
        launcher: live::own_program(),
        ..live::Options::default()
    };
    // The engine first: it reads the last pictures from the disk while the terminal is being asked.
    let (engine, mut deltas) = live::start(Arc::clone(&settings), kinds, options);
    terminal::hook_panics(std::thread::current().id());
    let guard = TerminalGuard::take(settings.mouse)?;
    let (back, mut answers) = mpsc::unbounded_channel();
    let size = crossterm::terminal::size().unwrap_or((80, 24));
    let mut app = App::new(Arc::clone(&settings), &request.env, &mut store, open.as_deref(), size, now());
    app.set_commands(files::load_history(&settings));
    let (mut heard, gate) = input::start()?;
    let mut signals = Signals::new()?;
    let tell = back.clone();
    // Dropping it ends the watch. Where files cannot be watched, `:reload` remains.
    let _reloader = reload::watch(request.clone(), Arc::clone(&settings), move |s| {
        let _ = tell.send(Back::Settings(s));
    });
    let trace = Trace::new(request.env.get("QUARTERDECK_TRACE").map(PathBuf::from).as_deref());
    let saver = Saver::new(&settings);
    let mut session = Session {
        app,
        gate,
        login: None,
        edit: None,
        root: PathBuf::new(),
        keeper: None,
        store,
        engine,
        guard,
        output: Output::new(io::stdout()),
        spare: Buffer::default(),
        env: request.env.clone(),
        request: request.clone(),
        back,
        trace,
        saver,
        batch: Vec::new().into_iter(),
        batch_at: started,
        why: Some(Why::Other("start")),
        changed: true,
        rows: 0,
        last_frame: started - FRAME,
        last_key_frame: started - FRAME,
        last_snapshot: started,
        end: None,
    };
    session.begin();
    session.turn(&mut heard, &mut deltas, &mut answers, &mut signals).await?;
    Ok(session.finish())
}

/// Wall clock.
fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

impl Session {
    fn begin(&mut self) {
        for note in std::mem::take(&mut self.engine.notes) {
            self.app.notice(Notice::warn(note));
        }
        if let Err(error) = files::check_history(&self.app.look().settings) {
            let path = self.app.look().settings.paths.state.display().to_string();
            let values = [("path", path.as_str()), ("why", &error.to_string())];
            let text = m::STATE_NOT_KEPT.fill(self.app.look().lang, &values);
            self.app.notice(Notice::warn(text));
        }
        let settings = Arc::clone(&self.app.look().settings);
        self.declare(&settings);
        for task in self.app.take_first_tasks() {
            self.perform(task);
        }
    }

    /// The loop.
    async fn turn(
        &mut self,
        heard: &mut mpsc::UnboundedReceiver<Heard>,
        deltas: &mut mpsc::Receiver<Vec<Delta>>,
        answers: &mut mpsc::UnboundedReceiver<Back>,
        signals: &mut Signals,
    ) -> io::Result<()> {
        let mut tick = Instant::now();
        let mut flowing = true;
        while self.end.is_none() {
            while let Ok(h) = heard.try_recv() {
                self.hear(h, signals).await?;
            }
            while let Ok(b) = answers.try_recv() {
                self.come_back(b);
            }
            if let Some((cluster, command)) = self.login.take() {
                self.log_in(cluster, &command, deltas, signals).await?;
            }
            if let Some(at) = self.edit.take() {
                self.edit(&at, deltas, signals).await?;
            }
            self.take_in(deltas);
            if Instant::now() >= tick {
                tick = Instant::now() + until_next_second();
                self.tick();
            }
            self.frame()?;
            if self.end.is_some() {
                break;
            }
            // With work at hand only a look around; else until something happens.
            let wait = if self.batch.len() > 0 || (self.app.has_work() && !self.changed) {
                Duration::ZERO
            } else {
                self.frame_due().unwrap_or(tick).min(tick).saturating_duration_since(Instant::now())
            };
            tokio::select! {
                biased;
                h = heard.recv() => match h {
                    Some(h) => self.hear(h, signals).await?,
                    None => self.end = Some(ExitCode::FAILURE),
                },
                s = signals.next() => self.signal(s, signals).await?,
                Some(b) = answers.recv() => self.come_back(b),
                batch = deltas.recv(), if flowing && self.batch.len() == 0 => match batch {
                    Some(batch) => self.receive(batch),
                    None => {
                        flowing = false;
                        self.app.notice(Notice::error(m::ENGINE_GONE.text(self.app.look().lang)));
                    }
                },
                () = pause(wait) => {}
            }
        }
        Ok(())
    }

    fn receive(&mut self, batch: Vec<Delta>) {
        self.trace.batches += 1;
        self.batch_at = Instant::now();
        self.batch = batch.into_iter();
    }

    /// Takes deltas in for a slice of time.
    fn take_in(&mut self, deltas: &mut mpsc::Receiver<Vec<Delta>>) {
        let until = Instant::now() + SLICE;
        loop {
            for delta in self.batch.by_ref() {
                let applied = self.store.apply(delta);
                self.rows += u64::from(applied.rows);
                if applied.rows > 0 || applied.cluster {
                    self.changed = true;
                    self.why = self.why.or(Some(Why::Data(self.batch_at)));
                }
                if Instant::now() >= until {
                    return;
                }
            }
            match deltas.try_recv() {
                Ok(batch) => self.receive(batch),
                Err(_) => break,
            }
        }
        // A long sort or filter goes on between the looks at the input.
        if self.app.has_work() && !self.changed {
            self.update(Event::Data);
        }
    }

    fn tick(&mut self) {
        for why in terminal::take_panics() {
            let path = files::log_file(&self.app.look().settings).display().to_string();
            let why = clean_line(&why).into_owned();
            let text = m::TASK_PANICKED.fill(self.app.look().lang, &[("why", &why), ("path", &path)]);
            self.app.notice(Notice::error(text));
        }
        if let Some(why) = self.saver.as_mut().and_then(Saver::failure) {
            self.app.notice(Notice::warn(m::SNAPSHOT_NOT_KEPT.fill(self.app.look().lang, &[("why", &why)])));
        }
        self.look_at_facts();
        self.update(Event::Tick);
        if self.app.is_dirty() {
            self.why = self.why.or(Some(Why::Tick));
        }
    }

    fn update(&mut self, event: Event) {
        let tasks = self.app.update(event, &mut self.store, now());
        for task in tasks {
            self.perform(task);
        }
    }

    async fn hear(&mut self, heard: Heard, signals: &mut Signals) -> io::Result<()> {
        let (event, at) = match heard {
            Heard::Event(event, at) => (event, at),
            Heard::Kitty => return self.guard.set_kitty(),
            Heard::Dark(dark) => {
                self.update(Event::Background(dark));
                return Ok(());
            }
            Heard::End => {
                self.end = Some(ExitCode::FAILURE);
                return Ok(());
            }
        };
        if !matches!(self.why, Some(Why::Key(_))) {
            self.why = Some(Why::Key(at));
        }
        self.trace.keys += 1;
        let event = match event {
            Terminal::Key(key) => Event::Key(key),
            Terminal::Paste(text) => Event::Paste(text),
            Terminal::Mouse(mouse) => Event::Mouse(mouse),
            Terminal::Resize(w, h) => {
                self.output.invalidate();
                Event::Resize(w, h)
            }
            Terminal::FocusGained => Event::Focus(true),
            Terminal::FocusLost => Event::Focus(false),
        };
        let tasks = self.app.update(event, &mut self.store, now());
        for task in tasks {
            if matches!(task, Task::Suspend) {
                self.suspend(signals).await?;
            } else {
                self.perform(task);
            }
        }
        Ok(())
    }

    async fn signal(&mut self, signal: Signal, signals: &mut Signals) -> io::Result<()> {
        match signal {
            Signal::End(code) => self.end = Some(ExitCode::from(code)),
            Signal::Stop => self.suspend(signals).await?,
            // Somebody stopped us without asking and goes on now: the terminal may have been used meanwhile.
            Signal::Continued => self.resume()?,
            Signal::Resized => self.resize("resize"),
        }
        Ok(())
    }

    async fn suspend(&mut self, signals: &mut Signals) -> io::Result<()> {
        terminal::give_back();
        terminal::stop();
        signals.continued(CONTINUE).await;
        self.resume()
    }

    /// Lends the terminal to a cluster's credential plugin until it ends. News are taken in meanwhile, so that nothing
    /// piles up; nothing is drawn.
    async fn log_in(
        &mut self,
        cluster: ClusterId,
        command: &str,
        deltas: &mut mpsc::Receiver<Vec<Delta>>,
        signals: &mut Signals,
    ) -> io::Result<()> {
        let lang = self.app.look().lang;
        let name = self.store.shard(cluster).map(|s| clean_line(&s.record.name).into_owned()).unwrap_or_default();
        self.gate.close();
        terminal::give_back();
        let lent = terminal::Lent::note();
        let begins = m::LOGIN_BEGINS.fill(lang, &[("name", &name), ("command", &clean_line(command))]);
        terminal::say(format!("{begins}\n").as_bytes())?;
        let told = self.plugin(cluster, deltas, signals).await;
        lent.put_back();
        self.gate.open();
        if self.end.is_some() {
            return Ok(());
        }
        self.resume()?;
        self.app.notice(match told {
            Ok(()) => Notice::info(m::LOGIN_DONE.fill(lang, &[("name", &name)])),
            Err(why) => Notice::error(m::LOGIN_FAILED.fill(lang, &[("name", &name), ("why", &why)])),
        });
        Ok(())
    }

    /// Waits for the plugin; the error is why there is no credential.
    async fn plugin(
        &mut self,
        cluster: ClusterId,
        deltas: &mut mpsc::Receiver<Vec<Delta>>,
        signals: &mut Signals,
    ) -> Result<(), String> {
        let lang = self.app.look().lang;
        let (said, mut words) = mpsc::unbounded_channel();
        let (answer, mut answered) = tokio::sync::oneshot::channel();
        self.ask(Ask::LogIn { cluster, said, answer });
        let mut given_up: Option<Instant> = None;
        let rest = std::mem::take(&mut self.batch);
        self.take_all(rest);
        loop {
            let patience = given_up.map_or(Duration::MAX, |at| GIVE_UP.saturating_sub(at.elapsed()));
            tokio::select! {
                biased;
                Some(bytes) = words.recv() => drop(terminal::say(&bytes)),
                told = &mut answered => return match told {
                    Ok(told) => told.map_err(|cause| cause.detail),
                    Err(_) => Err(m::NO_ANSWER.text(lang).to_owned()),
                },
                signal = signals.next() => match signal {
                    // Ctrl-c: the plugin got it too, and ends by it.
                    Signal::End(INTERRUPTED) => given_up = given_up.or(Some(Instant::now())),
                    Signal::End(code) => {
                        self.end = Some(ExitCode::from(code));
                        return Ok(());
                    }
                    // Ctrl-z has stopped the plugin; the shell lets both of us go on.
                    Signal::Stop => terminal::stop(),
                    Signal::Continued | Signal::Resized => {}
                },
                () = tokio::time::sleep(patience) => return Err(m::LOGIN_GIVEN_UP.text(lang).to_owned()),
                Some(batch) = deltas.recv() => self.take_all(batch.into_iter()),
            }
        }
    }

    /// Takes a whole batch in, when there is no screen that could wait for it.
    fn take_all(&mut self, batch: std::vec::IntoIter<Delta>) {
        for delta in batch {
            self.rows += u64::from(self.store.apply(delta).rows);
            self.changed = true;
        }
    }

    fn resume(&mut self) -> io::Result<()> {
        self.guard.enter()?;
        self.resize("resume");
        Ok(())
    }

    fn resize(&mut self, why: &'static str) {
        self.output.invalidate();
        let (w, h) = crossterm::terminal::size().unwrap_or((80, 24));
        self.why = Some(Why::Other(why));
        self.update(Event::Resize(w, h));
    }

    fn come_back(&mut self, back: Back) {
        self.why = self.why.or(Some(Why::Other("answer")));
        match back {
            Back::Fetched(view, generation, answer) => self.update(Event::Fetched(view, generation, answer)),
            Back::Notice(notice) => self.update(Event::Notice(notice)),
            Back::Hub(cluster, answer) => self.take_hub(&cluster, *answer),
            Back::Desired(picture) => self.update(Event::Desired(picture)),
            Back::Supposed(view, generation, answer) => self.update(Event::Supposed(view, generation, answer)),
            Back::Settings(settings) => {
                self.ask(Ask::Reload(Arc::clone(&settings)));
                self.declare(&settings);
                self.update(Event::Settings(settings));
            }
        }
    }

    /// When the next frame may be sent, if one is needed.
    fn frame_due(&self) -> Option<Instant> {
        match self.why? {
            Why::Key(_) => Some(self.last_key_frame + FRAME),
            _ if self.app.is_focused() => Some(self.last_frame + FRAME),
            _ => Some(self.last_frame + FRAME_UNSEEN),
        }
    }

    /// Draws and sends a frame if one is due.
    fn frame(&mut self) -> io::Result<()> {
        let begun = Instant::now();
        if self.app.is_dirty() {
            self.why = self.why.or(Some(Why::Other("work")));
        }
        if self.frame_due().is_none_or(|due| begun < due) {
            if self.why.is_none() && !self.app.has_work() {
                self.idle();
            }
            return Ok(());
        }
        let Some(cause) = self.why.take() else { return Ok(()) };
        let is_key = matches!(cause, Why::Key(_));
        if is_key && self.changed && !self.app.has_work() {
            // A key does not wait for news: they come with the next frame.
            self.why = Some(Why::Data(self.batch_at));
        } else if std::mem::take(&mut self.changed) {
            self.update(Event::Data);
        }
        let (w, h) = self.app.size();
        let area = Rect::new(0, 0, w, h);
        if self.spare.area == area {
            self.spare.reset()
        } else {
            self.spare = Buffer::empty(area)
        }
        let cursor = self.app.draw(&mut self.spare, &self.store);
        let drawn = Instant::now();
        let cost = self.output.present(&mut self.spare, cursor)?;
        let sent = Instant::now();
        self.last_frame = sent;
        if is_key {
            self.last_key_frame = begun;
        }
        let rows = std::mem::take(&mut self.rows);
        if cost.bytes > 0 {
            self.trace.frame(&Frame { cause, begun, drawn, sent, cells: cost.cells, bytes: cost.bytes, rows });
        }
        Ok(())
    }

    /// Nothing to do: a cluster's picture goes to the disk.
    fn idle(&mut self) {
        if self.last_snapshot.elapsed() >= SNAPSHOT
            && let Some(saver) = &mut self.saver
        {
            self.last_snapshot = Instant::now();
            saver.step(&self.store, now());
        }
    }

    fn ask(&self, ask: Ask) {
        let asks = self.engine.asks.clone();
        tokio::spawn(async move {
            // A closed channel is told by the end of the deltas.
            let _ = asks.send(ask).await;
        });
    }

    fn perform(&mut self, task: Task) {
        let lang = self.app.look().lang;
        match task {
            Task::Ask(ask) => self.ask(ask),
            Task::LogIn(cluster, command) => self.login = Some((cluster, command)),
            Task::Edit(at) => self.edit = Some(at),
            Task::Suppose { view, now, changes, generation } => self.suppose(view, now, changes, generation),
            Task::Fetch { view, object, managed_fields, generation } => {
                self.fetch(view, object, managed_fields, generation);
            }
            Task::Copy { text, what } => self.copy(text, &what),
            Task::Save { name, text } => {
                let folder = std::env::current_dir().unwrap_or_default();
                let notice = match files::save(&folder, &name, &text) {
                    Ok(path) => {
                        let (path, n) = (path.display().to_string(), text.len().to_string());
                        Notice::info(m::SAVED.fill(lang, &[("path", &path), ("n", &n)]))
                    }
                    Err(e) => Notice::error(m::SAVE_FAILED.fill(lang, &[("path", &name), ("why", &e.to_string())])),
                };
                self.app.notice(notice);
            }
            Task::Keep(screen, kept) => {
                let state = self.app.look().settings.paths.state.clone();
                if let Err(why) = kept::keep(&state, &screen, kept) {
                    let (path, why) = (state.display().to_string(), why.to_string());
                    let text = m::CHOICE_NOT_KEPT.fill(lang, &[("path", &path), ("why", &why)]);
                    self.app.notice(Notice::warn(text));
                }
            }
            Task::Redraw => {
                self.output.invalidate();
                self.why = self.why.or(Some(Why::Other("redraw")));
            }
            // A terminal that refuses is noticed by the next frame.
            Task::Mouse(on) => drop(self.guard.set_mouse(on)),
            Task::Suspend => {}
            Task::Reload => self.reload(),
            Task::Quit => self.end = Some(ExitCode::SUCCESS),
        }
    }

    fn fetch(&self, view: u64, object: ObjectRef, managed_fields: bool, generation: u64) {
        let (asks, back) = (self.engine.asks.clone(), self.back.clone());
        let none = m::NO_ANSWER.text(self.app.look().lang);
        tokio::spawn(async move {
            let (answer, answered) = tokio::sync::oneshot::channel();
            let asked = asks.send(Ask::Fetch { object, managed_fields, answer }).await;
            let got = if asked.is_ok() { answered.await.ok() } else { None };
            let got = got.unwrap_or_else(|| Err(Cause::new(CauseCode::Reset, none)));
            let _ = back.send(Back::Fetched(view, generation, Box::new(got)));
        });
    }

    fn reload(&self) {
        let (request, back, lang) = (self.request.clone(), self.back.clone(), self.app.look().lang);
        tokio::task::spawn_blocking(move || {
            let told = match config::resolve(&request) {
                Ok(settings) => Back::Settings(Arc::new(settings)),
                Err(p) => {
                    Back::Notice(Notice::error(m::RELOAD_FAILED.fill(lang, &[("place", &p.place), ("why", &p.text)])))
                }
            };
            let _ = back.send(told);
        });
    }

    fn copy(&mut self, text: String, what: &str) {
        let lang = self.app.look().lang;
        let n = text.len().to_string();
        let (back, what) = (self.back.clone(), what.to_owned());
        match Way::choose(&self.app.look().settings.clipboard, &self.env) {
            Way::Off => self.app.notice(Notice::warn(m::COPY_OFF.text(lang))),
            Way::Tool(name, args) => {
                tokio::task::spawn_blocking(move || {
                    let notice = match clipboard::by_tool(name, args, &text) {
                        Ok(()) => {
                            Notice::info(m::COPIED_NATIVE.fill(lang, &[("what", &what), ("n", &n), ("how", name)]))
                        }
                        Err(why) => Notice::error(m::COPY_FAILED.fill(lang, &[("how", name), ("why", &why)])),
                    };
                    let _ = back.send(Back::Notice(notice));
                });
            }
            Way::Osc52 => {
                let notice = match clipboard::osc52(&text, &self.env) {
                    Ok(sequence) => {
                        // A terminal that refuses is noticed by the next frame.
                        let _ = io::Write::write_all(self.output.writer(), sequence.as_bytes());
                        Notice::info(m::COPIED_OSC52.fill(lang, &[("what", &what), ("n", &n)]))
                    }
                    Err(size) => {
                        let (size, most) = (size.to_string(), clipboard::MOST.to_string());
                        let key = ActionId::Save.info().keys[0];
                        let places = [("what", what.as_str()), ("n", &size), ("most", &most), ("key", key)];
                        Notice::error(m::COPY_TOO_LONG.fill(lang, &places))
                    }
                };
                self.app.notice(notice);
            }
        }
    }

    /// Gives the terminal back, then keeps what the next start wants.
    fn finish(mut self) -> ExitCode {
        terminal::give_back();
        self.trace.end();
        files::save_history(&self.app.look().settings, self.app.commands());
        if let Some(saver) = self.saver.take() {
            saver.finish(&self.store, now());
        }
        self.end.unwrap_or(ExitCode::SUCCESS)
    }
}

/// Waits; with nothing to wait for it only lets others run (a timer would take a millisecond).
async fn pause(wait: Duration) {
    if wait.is_zero() { tokio::task::yield_now().await } else { tokio::time::sleep(wait).await }
}

/// Time until the wall clock's next second.
fn until_next_second() -> Duration {
    let ms = u64::try_from(now().0.rem_euclid(1000)).unwrap_or(0);
    Duration::from_millis(1000 - ms + 1)
}
