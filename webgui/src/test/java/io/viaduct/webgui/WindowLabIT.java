package io.viaduct.webgui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.microsoft.playwright.PlaywrightException;
import org.junit.jupiter.api.Test;

/// A hang in the browser must fail one test and leave the others alone: JUnit interrupts the thread
/// of a test that takes too long (`junit-platform.properties`).
class WindowLabIT {
  @Test
  void scriptThatNeverEndsFailsWithTheInterruptAndTheNextWindowWorks() {
    try (Chromium chromium = new Chromium()) {
      Window window = chromium.open();
      Thread test = Thread.currentThread();
      window
          .page()
          .exposeFunction(
              "interrupt",
              _ -> {
                test.interrupt();
                return null;
              });
      assertThatThrownBy(
              () -> window.page().evaluate("interrupt().then(() => new Promise(() => {}))"))
          .isInstanceOf(PlaywrightException.class);
      window.close();
      try (Window next = chromium.open()) {
        assertThat(next.page().evaluate("1 + 1")).isEqualTo(2);
      }
    }
  }

  @Test
  void windowThatCannotBeClosedIsFollowedByOneInANewBrowser() {
    try (Chromium chromium = new Chromium()) {
      Window window = chromium.open();
      Thread.currentThread().interrupt();
      assertThatThrownBy(window::close).isInstanceOf(PlaywrightException.class);
      try (Window next = chromium.open()) {
        assertThat(next.page().evaluate("1 + 1")).isEqualTo(2);
        assertThat(next.sharesBrowserWith(window)).isFalse();
      }
    }
  }
}
