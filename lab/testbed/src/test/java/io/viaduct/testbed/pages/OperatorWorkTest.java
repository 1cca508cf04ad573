package io.viaduct.testbed.pages;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.LocatorAssertions.HasAttributeOptions;
import com.microsoft.playwright.options.BoundingBox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// An operator's day in a real Chromium, with the pages as packaged and a real billing: what the
/// editor marks is what billing refuses, and what the simulation shows is what was charged.
@Timeout(600)
class OperatorWorkTest {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final double PATIENCE_MS = 60_000;

  @TempDir Path directory;
  private Page page;
  private RunningPages pages;

  @Test
  void anOperatorBlocksVerifiesAndChangesTheTariff() throws Exception {
    assumeTrue(Files.isExecutable(CHROMIUM), CHROMIUM + " is missing (apt-get install chromium)");
    try (RunningPages running = new RunningPages(directory, "");
        Playwright playwright =
            Playwright.create(
                new Playwright.CreateOptions()
                    .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser =
            playwright
                .chromium()
                .launch(
                    new BrowserType.LaunchOptions()
                        .setExecutablePath(CHROMIUM)
                        .setArgs(List.of("--no-sandbox", "--disable-gpu")))) {
      pages = running;
      pages.open("alice", 5_700_000_000L); // more than the month below costs
      GeneratedMonth.write(pages.database(), "alice", Instant.now());
      page = browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      logIn();
      lookAround();
      block();
      verify();
      editTheTariff();
    }
  }

  private void go(String path) {
    page.navigate(pages.address() + path);
  }

  private Locator at(String testId) {
    return page.getByTestId(testId);
  }

  private void logIn() {
    go("/login");
    at("login-user").fill("operator");
    at("login-password").fill(RunningPages.OPERATOR_PASSWORD);
    at("login-submit").click();
    assertThat(at("visitor")).hasText("operator");
  }

  private void lookAround() {
    assertThat(at("attention")).isVisible();
    assertThat(at("attention-snapts")).hasText("The bridge does not answer.");
    assertThat(at("hours-spent")).isVisible();
    go("/accounts?search=ali&sort=spent-today");
    assertThat(at("account-row")).hasCount(1);
    assertThat(at("account-standing")).isVisible();
    go("/tariffs/1");
    assertThat(page.locator(".curve canvas")).hasCount(8);
  }

  private void block() {
    go("/accounts/alice/credit");
    at("block-reason").fill("stolen card");
    at("block-submit").click();
    assertThat(at("blocked")).containsText("stolen card");
    go("/accounts?state=blocked");
    assertThat(at("account-row")).hasCount(1);
    go("/accounts/alice/credit");
    at("block-reason").fill("card found");
    at("block-submit").click();
    assertThat(at("done")).isVisible();
    assertThat(at("blocked")).hasCount(0);
  }

  // The generated month is posted but not settled, so invariants are broken; that they are found is
  // what counts here.
  private void verify() {
    go("/ledger");
    at("verify-submit").click();
    assertThat(at("verification-runs")).containsText("operator");
    assertThat(at("verification-running")).hasCount(0);
    assertThat(at("verification-outcome")).hasText("an invariant is broken");
    assertThat(at("ledger-sum")).hasAttribute("data-microdenarii", "0");
  }

  private void editTheTariff() {
    go("/tariffs");
    at("draft-name").fill("summer");
    at("draft-submit").click();
    Locator curve = page.locator("[data-curve='LT_LD-throughput-marginal']");
    Locator knots = curve.locator(".knot");
    assertThat(knots).hasCount(7);
    curve.evaluate("curve => curve.scrollIntoView({block: 'center'})");
    BoundingBox second = knots.nth(1).boundingBox();
    BoundingBox third = knots.nth(2).boundingBox();
    page.mouse().move(third.x + third.width / 2, third.y + third.height / 2);
    page.mouse().down();
    page.mouse().move(third.x + third.width / 2, second.y);
    page.mouse().up();
    assertThat(at("check"))
        .hasAttribute("data-valid", "false", new HasAttributeOptions().setTimeout(PATIENCE_MS));
    assertThat(at("check")).hasAttribute("data-place", "classes.LT_LD.throughput-marginal");
    assertThat(at("check")).hasAttribute("data-knot", "2");
    assertThat(at("check")).containsText("The values must not rise from row to row");
    page.reload();
    assertThat(at("check")).hasAttribute("data-valid", "false");
    knots.nth(2).focus();
    for (int i = 0; i < 5; i++) {
      page.keyboard().press("Shift+ArrowDown");
    }
    assertThat(at("check")).hasAttribute("data-valid", "true");
    page.locator("#fees-PER_MEGABYTE").fill("0.05");
    assertThat(at("check").locator("p")).hasText("Saved. Billing would accept this tariff.");
    simulate();
    at("draft-publish").click();
    assertThat(at("change-row").filter(new Locator.FilterOptions().setHasText("fees.PER_MEGABYTE")))
        .containsText("0.05");
    at("validity-submit").click();
    assertThat(page.locator("[data-version='2'] .state")).hasText("in force");
    go("/tariffs/1/rollback");
    at("validity-submit").click();
    assertThat(page.locator("[data-version='3'] .state")).hasText("in force");
    go("/tariffs/diff?from=1&to=3");
    assertThat(at("changes-empty")).isVisible();
  }

  private void simulate() {
    at("draft-simulate").click();
    assertThat(at("trial-after")).isVisible();
    long before = microdenarii("trial-before");
    assertThat(before).isPositive();
    assertThat(microdenarii("trial-after")).isNotEqualTo(before);
    assertThat(at("trial-changes")).containsText("alice");
    page.locator(".crumbs").getByText("summer").click();
    assertThat(at("editor")).isVisible();
  }

  private long microdenarii(String testId) {
    return Long.parseLong(at(testId).getAttribute("data-microdenarii"));
  }
}
