package io.viaduct.webgui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.EmulateMediaOptions;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.TimeoutError;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A window of [Chromium] on the running pages, with cookies of its own.
public final class Window implements AutoCloseable {
  private static final Path SCREENSHOTS = Path.of("target/screenshots");
  private static final List<Integer> WIDTHS = List.of(320, 768, 1440);
  private static final int HEIGHT = 900;

  private final Chromium chromium;
  private final BrowserContext context;
  private final Page page;
  private final List<String> complaints = new ArrayList<>();

  Window(Chromium chromium, Browser browser) {
    this.chromium = chromium;
    context = browser.newContext();
    context.setDefaultTimeout(Chromium.PATIENCE_MS);
    page = context.newPage();
    page.onPageError(complaints::add);
    page.onConsoleMessage(message -> {
      if (message.type().equals("error")) {
        complaints.add(message.text());
      }
    });
  }

  /// Returns true if both windows are in the same browser process.
  boolean sharesBrowserWith(Window other) {
    return context.browser() == other.context.browser();
  }

  public Page page() {
    return page;
  }

  /// Opens another tab, with the same cookies.
  public Page tab() {
    return context.newPage();
  }

  /// Returns the errors of scripts and of the console so far.
  public List<String> complaints() {
    return complaints;
  }

  public void go(String path) {
    page.navigate(RunningWebgui.pages() + path);
  }

  public void logIn(String user, String password) {
    go("/login");
    page.getByTestId("login-user").fill(user);
    page.getByTestId("login-password").fill(password);
    page.getByTestId("login-submit").click();
    assertThat(page.getByTestId("visitor")).hasText(user);
  }

  /// Takes pictures of the page in three widths, light and dark. In each the page must fit and axe
  /// must find nothing.
  public void shoot(String what) {
    for (int width : WIDTHS) {
      page.setViewportSize(width, HEIGHT);
      awaitFit(what, width);
      for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
        page.emulateMedia(new EmulateMediaOptions().setColorScheme(scheme));
        assertThat(Axe.violations(page)).as("%s, %s, %d px", what, scheme, width).isEmpty();
        String name = "%s-%d-%s.png".formatted(what, width, scheme).toLowerCase(Locale.ROOT);
        page.screenshot(
            new ScreenshotOptions().setPath(SCREENSHOTS.resolve(name)).setFullPage(true));
      }
    }
  }

  private void awaitFit(String what, int width) {
    try { // charts follow the width with the next frame
      page.waitForFunction("width => document.documentElement.scrollWidth === width", width);
    } catch (TimeoutError e) {
      throw new AssertionError("%s at %d px scrolls sideways".formatted(what, width), e);
    }
  }

  @Override
  public void close() {
    try {
      context.close();
    } catch (PlaywrightException e) {
      chromium.isStuck();
      throw e;
    }
  }
}
