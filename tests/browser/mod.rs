//! A headless Chromium, driven through its developer tools protocol over a pair of pipes: no port, no other program.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// No answer takes longer, on a busy machine either.
const LIMIT: Duration = Duration::from_secs(60);

/// What goes wrong, in words.
pub type Result<T> = std::result::Result<T, String>;

/// The browser, if there is one.
pub fn find() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    /// What was asked of the network.
    pub asked_for: Vec<String>,
    /// Exceptions, and everything that went to the console.
    pub complaints: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// Starts it, with a page of this size.
    pub fn start(width: u32, height: u32) -> Result<Self> {
        let program = find().ok_or("there is no Chromium to be found")?;
        let profile = tempfile::tempdir().map_err(|error| error.to_string())?;
        // The protocol is spoken on the third and fourth descriptor, which only a shell can give without unsafe code.
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"#, "sh"])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"])
            // A page that goes to more than 200 addresses in ten seconds is not let go any further otherwise.
            .arg("--disable-ipc-flooding-protection")
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            // What it leaves behind when it is ended goes with the profile.
            .env("TMPDIR", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("it does not start: {error}"))?;
        let requests = child.stdin.take().ok_or("no way to it")?;
        let stdout = child.stdout.take().ok_or("no way from it")?;
        let (sender, answers) = channel();
        thread::spawn(move || {
            for message in BufReader::new(stdout).split(0) {
                let Ok(message) = message else { break };
                let Ok(message) = serde_json::from_slice(&message) else { break };
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self {
            child,
            requests,
            answers,
            session: None,
            sent: 0,
            asked_for: Vec::new(),
            complaints: Vec::new(),
            _profile: profile,
        };
        let targets = browser.call("Target.getTargets", &json!({}))?;
        let targets = targets["targetInfos"].as_array().ok_or("no targets")?;
        let page = targets.iter().find(|target| target["type"] == "page").ok_or("no page")?;
        let attached =
            browser.call("Target.attachToTarget", &json!({ "targetId": page["targetId"], "flatten": true }))?;
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}))?;
        }
        browser.call(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false }),
        )?;
        Ok(browser)
    }

    /// Sends a command and waits for what it comes to.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        write!(self.requests, "{message}\0").map_err(|error| format!("{method}: {error}"))?;
        self.requests.flush().map_err(|error| format!("{method}: {error}"))?;
        loop {
            let answer = self.receive(method)?;
            if answer["id"] == json!(self.sent) {
                return match answer.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(answer["result"].clone()),
                };
            }
        }
    }

    /// The next message; events are noted on the way.
    fn receive(&mut self, awaited: &str) -> Result<Value> {
        let message = self.answers.recv_timeout(LIMIT).map_err(|error| format!("waiting for {awaited}: {error}"))?;
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                self.asked_for.push(parameters["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => {
                self.complaints.push(parameters.to_string());
            }
            _ => {}
        }
        Ok(message)
    }

    /// Opens a file anew, with a fragment, and waits until it is loaded, and its script ready where it has one.
    pub fn open(&mut self, path: &Path, fragment: &str) -> Result<()> {
        for url in ["about:blank".to_owned(), format!("file://{}{fragment}", path.display())] {
            self.call("Page.navigate", &json!({ "url": url }))?;
            while self.receive("Page.loadEventFired")?["method"] != "Page.loadEventFired" {}
        }
        self.evaluate("typeof ready === 'undefined' ? null : ready.then(() => null)").map(drop)
    }

    /// What an expression comes to on the page; a promise is waited for.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value> {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", &parameters)?;
        match result.get("exceptionDetails") {
            Some(details) => Err(format!("{expression}: {details}")),
            None => Ok(result["result"]["value"].clone()),
        }
    }

    /// Goes to another fragment of the page that is open.
    pub fn go(&mut self, fragment: &str) -> Result<()> {
        let script = format!(
            "new Promise(done => {{ if (location.hash === {0}) done(); else {{ \
             addEventListener('hashchange', () => setTimeout(done), {{ once: true }}); location.hash = {0}; }} }})",
            json!(fragment)
        );
        self.evaluate(&script).map(drop)
    }

    /// Presses and releases a key: `Tab`, `Enter`.
    pub fn press(&mut self, key: &str) -> Result<()> {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Space" => (32, " "),
            other => return Err(format!("`{other}` is no key that is pressed here")),
        };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let name = if key == "Space" { " " } else { key };
            let event = json!({ "type": kind, "key": name, "code": key, "windowsVirtualKeyCode": code, "text": text });
            self.call("Input.dispatchKeyEvent", &event)?;
        }
        Ok(())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may be gone already; it must not stay either way.
        let _ = self.call("Browser.close", &json!({}));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
