package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccountPagesTest {
  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  @Test
  void homeShowsTheBalanceAndThenTheLatestChargesWithTheirReasons() {
    peer.charges.add(PeerServer.charge("c1", "alice"));
    String page = Visitor.alice().get("/").body();
    assertThat(page.indexOf("data-testid=\"balance\""))
        .isLessThan(page.indexOf("data-testid=\"charge-row\""));
    assertThat(page)
        .contains(
            "data-charge-id=\"c1\"", "skype-video", "HT&amp;LD", "340\u00a0kbit/s", "140\u00a0ms")
        .contains("1.53\u00a0MB", "60.0\u00a0%", "5.00\u00a0den/MB")
        .contains("\u2212765\u00a0mden", "12.7\u00a0den", "12.745279\u00a0den");
  }

  @Test
  void theCostPerMinuteIsThatOfTheIntervalAlsoIfTheFlowLivedForAMoment() {
    Map<String, Object> charge = PeerServer.charge("c1", "alice");
    charge.put("durationMs", 5);
    peer.charges.add(charge);
    assertThat(Visitor.alice().get("/").body()).contains("12.7\u00a0den/min");
  }

  @Test
  void homeWithoutChargesSaysWhatToExpect() {
    assertThat(Visitor.alice().get("/").body())
        .contains("data-testid=\"charges-empty\"")
        .doesNotContain("data-testid=\"charge-row\"");
  }

  @Test
  void balanceShowsWhatIsReservedOnlyWhenSomethingIs() {
    assertThat(Visitor.alice().get("/").body()).doesNotContain("Reserved");
  }

  @Test
  void chargesAreReadPageByPageAndEachIsSeenOnce() {
    for (int i = 0; i < 12; i++) {
      peer.charges.add(PeerServer.charge("c" + i, "alice"));
    }
    Visitor alice = Visitor.alice();
    StringBuilder seen = new StringBuilder();
    String address = "/accounts/alice/charges";
    for (int i = 0; i < 3; i++) {
      String page = alice.get(address).body();
      seen.append(page);
      address =
          page.contains("data-testid=\"charges-older\"")
              ? Visitor.first(page, "rel=\"next\" href=\"([^\"]*)\"").replace("&amp;", "&")
              : "none";
    }
    assertThat(address).isEqualTo("none");
    for (int i = 0; i < 12; i++) {
      assertThat(seen.toString().split("data-charge-id=\"c" + i + "\"")).hasSize(2);
    }
  }

  @Test
  void chargesAreFilteredByApplication() {
    peer.charges.add(PeerServer.charge("c1", "alice"));
    Map<String, Object> ssh = PeerServer.charge("c2", "alice");
    ssh.put("application", "ssh & friends");
    peer.charges.add(ssh);
    String page = Visitor.alice().get("/accounts/alice/charges?application=ssh+%26+friends").body();
    assertThat(page).contains("data-charge-id=\"c2\"").doesNotContain("data-charge-id=\"c1\"");
  }

  @Test
  void chargeExplainsItselfWithAllQuantitiesAndUnits() {
    peer.charges.add(PeerServer.charge("c1", "alice"));
    String page = Visitor.alice().get("/charges/c1").body();
    assertThat(Visitor.text(page, "charge-reason"))
        .isEqualTo(
            "skype-video ran as HT&amp;LD at 340 kbit/s, with a delay of 140 ms and 1.25 % of its"
                + " packets lost. There a virtual unit costs 662 \u00b5den/vu, and 20.4 kvu come to"
                + " 13.5 den. Of 2.55 MB, 1.53 MB were saved: the discount is 765 mden.");
    assertThat(Visitor.text(page, "charge-price")).isEqualTo("662 \u00b5den/vu");
    assertThat(Visitor.text(page, "charge-units")).isEqualTo("20.4 kvu");
    assertThat(Visitor.text(page, "charge-amount")).isEqualTo("13.5 den");
    assertThat(Visitor.text(page, "charge-discount")).isEqualTo("\u2212765 mden");
    assertThat(Visitor.text(page, "charge-net")).isEqualTo("12.7 den");
    assertThat(Visitor.text(page, "charge-throughput")).isEqualTo("340 kbit/s");
    assertThat(Visitor.text(page, "charge-delay")).isEqualTo("140 ms \u00b1 5.25 ms at most");
    assertThat(Visitor.text(page, "charge-delay-source")).isEqualTo("time stamps on the data");
    assertThat(Visitor.text(page, "charge-class"))
        .isEqualTo("HT&amp;LD high throughput, low delay");
    assertThat(Visitor.text(page, "charge-pre")).isEqualTo("2.55 MB");
    assertThat(Visitor.text(page, "charge-post")).isEqualTo("1.02 MB");
    assertThat(Visitor.text(page, "charge-saved")).isEqualTo("1.53 MB 60.0 %");
    assertThat(Visitor.text(page, "charge-tariff")).isEqualTo("1");
    assertThat(Visitor.text(page, "charge-state")).startsWith("Booked");
    assertThat(Visitor.text(page, "charge-snapt")).isEqualTo("snapt-1");
    assertThat(page).contains("UDP\u00a03478");
    assertThat(page).contains("data-microdenarii=\"12745279\"", "data-bytes=\"1530000\"");
  }

  @Test
  void chargeShowsEachLineThatItsNetAmountConsistsOf() {
    Map<String, Object> charge = PeerServer.charge("c1", "alice");
    charge.put("offeredKbitPerSecond", 5000.0);
    charge.put("accessFeeMicrodenarii", "51000");
    charge.put("surchargeMicrodenarii", "0");
    charge.put("promiseRefundMicrodenarii", "1000000");
    charge.put("netMicrodenarii", "11796279");
    peer.charges.add(charge);
    String page = Visitor.alice().get("/charges/c1").body();
    assertThat(Visitor.text(page, "charge-access-fee")).isEqualTo("51.0 mden");
    assertThat(page).doesNotContain("charge-surcharge");
    assertThat(Visitor.text(page, "charge-promise-refund")).isEqualTo("\u22121.00 den");
    assertThat(Visitor.text(page, "charge-net")).isEqualTo("11.8 den");
    assertThat(Visitor.text(page, "charge-offered")).isEqualTo("5.00 Mbit/s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTILITY", "CAP"})
  void sentenceOfALimitedChargeNamesWhatTheUnitsComeToAndTheCharge(String limit) {
    Map<String, Object> charge = PeerServer.charge("c1", "alice");
    charge.put("pricePerUnit", 0.02);
    charge.put("units", 3840.0);
    charge.put("chargeMicrodenarii", "10000000");
    charge.put("limitedBy", limit);
    peer.charges.add(charge);
    String page = Visitor.alice().get("/charges/c1").body();
    assertThat(page).contains("come to 76.8\u00a0den", "the charge is 10.0\u00a0den.");
  }

  @ParameterizedTest
  @CsvSource({
    "SHARER, 0, 765000, 'gives the discount to the relay&#39;s owner: 765', 'bytes saved for the relay&#39;s owner'",
    "SPLIT, 382400, 382600, 'gives half of the discount to the relay&#39;s owner: 383', 'bytes saved half for the user, half for the relay&#39;s owner'"
  })
  void aDiscountThatTheRelaysOwnerGetsIsSaidInTheSentenceAndTheBill(
      String beneficiary, String discount, String reward, String sentence, String rule) {
    Map<String, Object> charge = PeerServer.charge("c1", "alice");
    charge.put("discountBeneficiary", beneficiary);
    charge.put("discountMicrodenarii", discount);
    charge.put("rewardMicrodenarii", reward);
    peer.charges.add(charge);
    String page = Visitor.alice().get("/charges/c1").body();
    assertThat(Visitor.text(page, "charge-reason")).contains(sentence);
    assertThat(Visitor.text(page, "charge-discount-rule")).isEqualTo(rule);
  }

  @Test
  void aDiscountOnServedBytesSaysSoAlsoWhereNothingWasSaved() {
    Map<String, Object> charge = PeerServer.charge("c1", "alice");
    charge.put("discountBase", "SERVED");
    charge.put("savedBytes", "0");
    peer.charges.add(charge);
    String page = Visitor.alice().get("/charges/c1").body();
    assertThat(Visitor.text(page, "charge-reason"))
        .endsWith("The discount counts all 2.55 MB of the flow: it is 765 mden.");
    assertThat(Visitor.text(page, "charge-discount-rule"))
        .isEqualTo("all bytes of the flow for the user");
  }

  @Test
  void chargeWithoutMeasuredDelayShowsADashAndSaysWhatWasTaken() {
    Map<String, Object> charge = PeerServer.charge("c1", "alice");
    for (String unknown :
        new String[] {"delayMs", "delayErrorMs", "loss", "remoteAddress", "application"}) {
      charge.put(unknown, null);
    }
    charge.put("delaySource", "REFERENCE");
    charge.put("state", "a state of a later version");
    peer.charges.add(charge);
    String page = Visitor.alice().get("/charges/c1").body();
    assertThat(Visitor.text(page, "charge-delay")).isEqualTo("\u2013");
    assertThat(Visitor.text(page, "charge-delay-source")).contains("reference");
    assertThat(Visitor.text(page, "charge-state")).isEqualTo("a state of a later version");
  }

  @Test
  void unknownChargeIsAPageThatSaysSo() {
    assertThat(Visitor.alice().get("/charges/none").statusCode()).isEqualTo(404);
    assertThat(Visitor.alice().get("/charges/..%2f..%2faccounts").statusCode()).isIn(400, 404);
  }
}
