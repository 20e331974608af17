//! The real binary in a pseudo-terminal, its screen read back as a grid.

use std::{
    io::{Read, Write},
    num::NonZero,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::{binary, wait_for};

/// A running console.
pub struct Console {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<Mutex<Screen>>,
}

/// What the terminal saw.
struct Screen {
    parser: vt100::Parser,
    raw: Vec<u8>,
}

impl Console {
    /// Starts the binary with these arguments in a terminal of `columns` x `rows`. Configuration, state and cache lie in
    /// `home`, so that tests neither see nor touch the user's own.
    pub fn start(home: &Path, columns: u16, rows: u16, args: &[&str], env: &[(&str, &str)]) -> Self {
        let pair = native_pty_system()
            .openpty(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 })
            .expect("a terminal");
        let mut command = CommandBuilder::new(binary());
        command.args(args);
        command.env_clear();
        for (name, value) in Self::environment(home) {
            command.env(name, value);
        }
        for (name, value) in env {
            command.env(name, value);
        }
        command.cwd(home);
        let child = pair.slave.spawn_command(command).expect("starts");
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(Screen {
            parser: vt100::Parser::new(cells(rows), cells(columns), 0),
            raw: Vec::new(),
        }));
        let mut reader = pair.master.try_clone_reader().expect("reader");
        let into = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                let mut screen = into.lock().expect("screen");
                screen.parser.process(&buffer[..n]);
                screen.raw.extend_from_slice(&buffer[..n]);
            }
        });
        let writer = pair.master.take_writer().expect("writer");
        Self { master: pair.master, writer, child, screen }
    }

    /// The environment of a console under test.
    pub fn environment(home: &Path) -> Vec<(String, String)> {
        let at = |name: &str| home.join(name).display().to_string();
        vec![
            ("HOME".into(), home.display().to_string()),
            ("XDG_CONFIG_HOME".into(), at("config")),
            ("XDG_STATE_HOME".into(), at("state")),
            ("XDG_DATA_HOME".into(), at("data")),
            ("XDG_CACHE_HOME".into(), at("cache")),
            ("PATH".into(), std::env::var("PATH").unwrap_or_default()),
            ("TERM".into(), "xterm-256color".into()),
            ("COLORTERM".into(), "truecolor".into()),
            ("LANG".into(), "en_US.UTF-8".into()),
        ]
    }

    /// Types bytes as they are.
    pub fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).and_then(|()| self.writer.flush()).expect("typed");
    }

    /// The text on the screen, one line per row.
    pub fn text(&self) -> String {
        self.screen.lock().expect("screen").parser.screen().contents()
    }

    /// Everything that was sent to the terminal since the start.
    pub fn raw(&self) -> Vec<u8> {
        self.screen.lock().expect("screen").raw.clone()
    }

    /// Looks at the parsed screen.
    pub fn with_screen<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.screen.lock().expect("screen").parser.screen())
    }

    /// Waits until the screen satisfies the test, and gives its text.
    pub fn wait(&self, what: &str, seconds: u64, test: impl Fn(&str) -> bool) -> String {
        let mut last = String::new();
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait_for(what, Duration::from_secs(seconds), || {
                last = self.text();
                test(&last).then(|| last.clone())
            })
        }));
        found.unwrap_or_else(|_| panic!("waited in vain for: {what}; the screen is:\n{}", self.text()))
    }

    /// Waits until the screen holds a text.
    pub fn wait_text(&self, text: &str, seconds: u64) -> String {
        self.wait(text, seconds, |screen| screen.contains(text))
    }

    /// Changes the size of the terminal.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.screen.lock().expect("screen").parser.screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).expect("resized");
    }

    /// pid of the console.
    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("runs")
    }

    /// The exit status if the console has ended.
    pub fn ended(&mut self) -> Option<u32> {
        self.child.try_wait().ok().flatten().map(|s| s.exit_code())
    }

    /// Waits for the console to end and gives its exit status.
    pub fn wait_end(&mut self, seconds: u64) -> u32 {
        wait_for("the console ends", Duration::from_secs(seconds), || self.ended())
    }

    /// True while the terminal shows what is typed.
    pub fn echoes(&self) -> bool {
        let flags = self.master.get_termios().map(|t| format!("{:?}", t.local_flags)).unwrap_or_default();
        flags.split(['(', ')', '|', ' ']).any(|flag| flag == "ECHO")
    }

    /// True when the terminal is as it was: main screen, cursor shown, no mouse, no bracketed paste.
    pub fn is_restored(&self) -> bool {
        self.with_screen(|s| {
            !s.alternate_screen()
                && !s.hide_cursor()
                && !s.bracketed_paste()
                && s.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        })
    }
}

/// A terminal has at least one cell.
fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap_or(NonZero::<u16>::MIN)
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
