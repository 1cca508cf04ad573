package io.viaduct.testbed.demo;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A person with a browser outside the laboratory, on the address that the demonstration prints.
@ExtendWith(SharedDemo.class)
class BrowserLabIT {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

  @Test
  void aliceLogsInAndFindsTheDemosChargeAndBalance() throws IOException {
    assumeTrue(Files.isExecutable(CHROMIUM), CHROMIUM + " is missing (apt-get install chromium)");
    RunningDemo demo = SharedDemo.demo();
    String address = demo.find("the page: (http://\\S+)");
    String password = demo.find("alice, password (\\S+)");
    String balance = demo.find("ok  the page shows the same balance: (\\S+)");
    var options =
        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"));
    try (Playwright playwright = Playwright.create(options);
        var browser =
            playwright
                .chromium()
                .launch(
                    new BrowserType.LaunchOptions()
                        .setExecutablePath(CHROMIUM)
                        .setArgs(List.of("--no-sandbox")))) {
      var page = browser.newPage();
      page.navigate(address);
      page.getByTestId("login-user").fill("alice");
      page.getByTestId("login-password").fill(password);
      page.getByTestId("login-submit").click();
      assertThat(page.getByTestId("balance").first())
          .hasAttribute("data-microdenarii", balance.replaceFirst("^0*", "").replace(".", ""));
      // Not among the latest: a slow machine books more small charges behind the download's.
      page.getByTestId("all-charges").click();
      assertThat(page.getByTestId("charges")).containsText("HT&HD");
    }
  }
}
