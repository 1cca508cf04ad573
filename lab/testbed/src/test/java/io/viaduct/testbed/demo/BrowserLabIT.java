package io.viaduct.testbed.demo;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.PlaywrightException;
import io.viaduct.testbed.process.Alone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A person with a browser outside the laboratory, at the address that the demonstration prints.
/// Pictures of what they saw go to `target/screenshots`.
@Alone
@ExtendWith(SharedDemo.class)
class BrowserLabIT {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path SCREENSHOTS = Path.of("target/screenshots");

  @Test
  void aliceLogsInAndFindsTheDemosChargeAndBalance() throws IOException {
    String balance = SharedDemo.demo().find("it is posted once: her balance is (\\S+)");
    browse(
        "alice",
        page -> {
          assertThat(page.getByTestId("balance").first())
              .hasAttribute("data-microdenarii", balance.replaceFirst("^0*", "").replace(".", ""));
          shoot(page, "account");
          // A slow machine books more small charges after the download's: show all charges.
          page.getByTestId("all-charges").click();
          assertThat(page.getByTestId("charges")).containsText("HT&HD");
          page.getByTestId("charge-row").first().locator("a").first().click();
          assertThat(page.getByTestId("charge-reason")).isVisible();
          shoot(page, "charge");
        });
  }

  @Test
  void theOperatorLogsInAndSeesBothSnapts() throws IOException {
    browse(
        "operator",
        page -> {
          page.getByText("SNAPTs").first().click();
          assertThat(page.locator("#main")).containsText("snapt-1");
          assertThat(page.locator("#main")).containsText("snapt-2");
          shoot(page, "snapts");
        });
  }

  @Test
  void theOperatorSeesAlicesRegistrationAndItsSession() throws IOException {
    browse(
        "operator",
        page -> {
          page.navigate(page.url().replaceFirst("/operator.*", "/registrations?search=alice"));
          assertThat(page.getByTestId("registration-row").first()).containsText("alice");
          assertThat(page.getByTestId("registration-row").first()).containsText("snapt-");
          shoot(page, "registrations");
        });
  }

  private static void browse(String user, Consumer<Page> visit) throws IOException {
    assumeTrue(Files.isExecutable(CHROMIUM), CHROMIUM + " is missing (apt-get install chromium)");
    RunningDemo demo = SharedDemo.demo();
    String address = demo.find("the page: (http://\\S+)");
    String password = demo.find(user + ", password (\\S+)");
    var options =
        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"));
    try (Playwright playwright = Playwright.create(options);
        Browser browser =
            playwright
                .chromium()
                .launch(
                    new BrowserType.LaunchOptions()
                        .setExecutablePath(CHROMIUM)
                        .setArgs(List.of("--no-sandbox")))) {
      Page page = browser.newPage(new Browser.NewPageOptions().setViewportSize(1360, 800));
      page.navigate(address);
      page.getByTestId("login-user").fill(user);
      page.getByTestId("login-password").fill(password);
      page.getByTestId("login-submit").click();
      try {
        visit.accept(page);
      } catch (PlaywrightException e) {
        shoot(page, "failed");
        throw new AssertionError(page.url() + " shows: " + page.locator("body").innerText(), e);
      }
    }
  }

  private static void shoot(Page page, String name) {
    page.screenshot(new Page.ScreenshotOptions().setPath(SCREENSHOTS.resolve(name + ".png")));
  }
}
