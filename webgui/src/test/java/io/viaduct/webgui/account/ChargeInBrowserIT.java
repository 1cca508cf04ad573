package io.viaduct.webgui.account;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.viaduct.webgui.Chromium;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Window;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// One charge in Chromium: computed again, drawn, and changed by the sliders.
class ChargeInBrowserIT {
  private static Chromium chromium;

  private PeerServer peer;
  private Window window;
  private Page page;

  @BeforeAll
  static void startChromium() {
    chromium = new Chromium();
  }

  @AfterAll
  static void stopChromium() {
    if (chromium != null) {
      chromium.close();
    }
  }

  @BeforeEach
  void openWindow() {
    peer = RunningWebgui.freshPeer();
    peer.charges.add(PeerServer.charge("c1", "alice"));
    window = chromium.open();
    page = window.page();
  }

  @AfterEach
  void closeWindow() {
    window.close();
  }

  private void open() {
    window.logIn("alice", "wonder land");
    window.go("/charges/c1");
  }

  @Test
  void chargeIsComputedAgainToTheSameIntegerAndDrawnFromTheTablesBesideIt() {
    open();
    assertThat(page.getByTestId("recomputed")).hasAttribute("data-recomputed", "same");
    assertThat(page.getByTestId("recomputed")).containsText("12745279");
    assertThat(page.locator("#curves canvas")).hasCount(2);
    assertThat(page.locator("#curve-throughput tr[data-mark] th"))
        .hasAttribute("data-value", "340000");
    assertThat(page.locator("#curve-delay tr[data-mark] th")).hasAttribute("data-value", "0.14");
    assertThat(page.getByTestId("bill-lines").locator("tr.bad")).hasCount(0);
    assertThat(window.complaints()).isEmpty();
  }

  @Test
  void billThatDiffersByOneMillionthIsShownAsAMismatch() {
    peer.explanation = peer.explanation.replace("\"13510279\"", "\"13510280\"");
    open();
    assertThat(page.getByTestId("recomputed")).hasAttribute("data-recomputed", "different");
    assertThat(page.getByTestId("recomputed")).isVisible();
    assertThat(page.getByTestId("bill-lines").locator("tr.bad")).hasCount(1);
    assertThat(page.getByTestId("bill-lines")).isVisible();
  }

  @Test
  void chargeThatWasPostedWithAnotherAmountIsAMismatchThoughTheExplanationHolds() {
    peer.charges.getFirst().put("netMicrodenarii", "12745278");
    open();
    assertThat(page.getByTestId("recomputed")).hasAttribute("data-recomputed", "different");
    assertThat(page.getByTestId("recomputed")).containsText("12745278");
  }

  @Test
  void explanationThatCannotBeComputedIsAMismatchToo() {
    peer.explanation = peer.explanation.replace("\"weight\": 1.2", "\"weight\": 1e300");
    open();
    assertThat(page.getByTestId("recomputed")).hasAttribute("data-recomputed", "different");
  }

  @Test
  void slidersRecomputeAtOnceAndTheResetLeadsBackToTheBill() {
    open();
    assertThat(page.getByTestId("whatif-net")).hasAttribute("data-microdenarii", "12745279");
    String before = page.locator("#curve-throughput tbody tr").nth(50).innerHTML();
    page.getByTestId("whatif-delay").fill("300");
    assertThat(page.getByTestId("whatif-net")).not().hasAttribute("data-microdenarii", "12745279");
    assertThat(page.locator("#curve-throughput tbody tr").nth(50).innerHTML()).isNotEqualTo(before);
    long slow = Long.parseLong(page.getByTestId("whatif-net").getAttribute("data-microdenarii"));
    assertThat(slow).as("four times the reference delay").isLessThan(12_745_279);
    page.getByTestId("whatif-carried").focus();
    page.keyboard().press("End");
    assertThat(page.locator("#whatif-carried + output")).hasText("100\u00a0Mbit/s");
    page.locator("#whatif button[type=reset]").click();
    assertThat(page.getByTestId("whatif-net")).hasAttribute("data-microdenarii", "12745279");
    assertThat(window.complaints()).isEmpty();
  }

  @Test
  void promiseOfThroughputIsBrokenInTheBrowserOnlyWhileDataWaitsForHalfOfTheTime() {
    peer.explanation =
        peer.explanation
            .replace("\"MEASURED\",\n  \"inputs\"", "\"OFFERED\",\n  \"inputs\"")
            .replace("\"busy\": null", "\"busy\": 0.25")
            .replace("\"spareKbitPerSecond\": null", "\"spareKbitPerSecond\": 800.0")
            .replace("\"demandEnd\": \"DEVICE\"", "\"demandEnd\": \"SNAPT\"")
            .replace("\"reference-throughput\": 128.0", "\"reference-throughput\": 1000.0");
    String without = peer.explanation;
    long[] full = netAtBusy("40", "60");
    peer.explanation = without.replace("\"refundThroughput\": 0.0", "\"refundThroughput\": 0.5");
    long[] refunded = netAtBusy("40", "60");
    assertThat(refunded[0]).isEqualTo(full[0]);
    assertThat(refunded[1]).isLessThan(full[1]);
  }

  private long[] netAtBusy(String... shares) {
    open();
    long[] nets = new long[shares.length];
    for (int i = 0; i < shares.length; i++) {
      page.getByTestId("whatif-busy").fill(shares[i]);
      nets[i] = Long.parseLong(page.getByTestId("whatif-net").getAttribute("data-microdenarii"));
    }
    return nets;
  }

  @Test
  void offeredPointHasSlidersForTheDemandAndMarksBothPlaces() {
    peer.explanation =
        peer.explanation
            .replace("\"MEASURED\",\n  \"inputs\"", "\"OFFERED\",\n  \"inputs\"")
            .replace("\"busy\": null", "\"busy\": 0.25")
            .replace("\"spareKbitPerSecond\": null", "\"spareKbitPerSecond\": 800.0");
    open();
    // Its bill is that of the measured point: the page must not hide that.
    assertThat(page.getByTestId("recomputed")).hasAttribute("data-recomputed", "different");
    assertThat(page.locator("#curve-throughput tr[data-mark]")).hasCount(2);
    String dear = page.getByTestId("whatif-net").getAttribute("data-microdenarii");
    page.getByTestId("whatif-busy").fill("100");
    assertThat(page.getByTestId("whatif-net")).not().hasAttribute("data-microdenarii", dear);
    page.getByTestId("whatif-spare").fill("0");
    page.getByTestId("whatif-busy").fill("0");
    assertThat(page.getByTestId("whatif-net")).hasAttribute("data-microdenarii", "12745279");
  }
}
