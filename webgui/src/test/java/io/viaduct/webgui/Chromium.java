package io.viaduct.webgui;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Playwright.CreateOptions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The Chromium of the machine, driven by a test. It belongs to the thread that made it.
public final class Chromium implements AutoCloseable {
  /// For a machine that does other work too.
  public static final double PATIENCE_MS = 30_000;

  private static final Path EXECUTABLE = Path.of("/usr/bin/chromium");

  private Playwright playwright;
  private Browser browser;
  private boolean isStuck;

  /// Starts it; where there is none, the test is skipped and says why.
  public Chromium() {
    assumeTrue(
        Files.isExecutable(EXECUTABLE),
        EXECUTABLE + " is missing: apt-get install chromium to run the browser tests");
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
    start();
  }

  private void start() {
    playwright =
        Playwright.create(
            new CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new LaunchOptions()
                    .setExecutablePath(EXECUTABLE)
                    .setArgs(
                        List.of(
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-quic",
                            "--no-first-run",
                            "--disable-background-networking",
                            "--disable-component-update",
                            "--disable-sync")));
    isStuck = false;
  }

  /// Opens a window on the running pages. If an earlier window could not be closed, the browser is
  /// started anew: the tests after a hang must not hang too.
  public Window open() {
    if (isStuck) {
      playwright.close();
      start();
    }
    return new Window(this, browser);
  }

  void isStuck() {
    isStuck = true;
  }

  @Override
  public void close() {
    playwright.close();
  }
}
