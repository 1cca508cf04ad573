package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Home, charges and savings: what they sum, and what they ask billing for.
class SumsPagesTest {
  private PeerServer peer;
  private Visitor alice;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
    alice = Visitor.alice();
  }

  private static Map<String, Object> sums(String day, String application, String net) {
    Map<String, Object> sums = PeerServer.sums(day, "2", net);
    sums.put("application", application);
    sums.put("discountMicrodenarii", "500000");
    return sums;
  }

  @Test
  void homeSaysHowLongTheCreditLastsWhatRunsAndWhatHappensAtZero() {
    peer.running.add(PeerServer.running("web", "HT_HD"));
    peer.funds.putAll(
        Map.of(
            "lastsSeconds",
            24_300,
            "spentLastHourMicrodenarii",
            "152000",
            "ratePerHourMicrodenarii",
            "1830000"));
    String page = alice.get("/").body();
    assertThat(Visitor.text(page, "lasts")).contains("6 h 45 min", "1.83 den");
    assertThat(Visitor.text(page, "running-row"))
        .contains("web", "HT&amp;HD", "snapt-1", "42.5 ms", "2.40 Mbit/s", "830 mden/min");
    assertThat(Visitor.text(page, "running-link")).isEqualTo("wlan0, rmnet_data0");
    assertThat(page).contains("At zero, new traffic is refused at once", "id=\"today-hours\"");
    assertThat(peer.asked).anyMatch(address -> address.contains("by=hour"));
  }

  @Test
  void aLinkThatIsNotKnownIsADashOnEachPage() {
    Map<String, Object> running = PeerServer.running("web", "HT_HD");
    running.remove("links"); // billing of the version before
    peer.running.add(running);
    Map<String, Object> charge = PeerServer.charge("c1", "alice");
    charge.put("link", null);
    peer.charges.add(charge);
    String home = alice.get("/").body();
    assertThat(Visitor.text(home, "running-link")).isEqualTo("\u2013");
    assertThat(Visitor.text(home, "charge-link")).isEqualTo("\u2013");
    assertThat(Visitor.text(alice.get("/charges/c1").body(), "charge-link")).isEqualTo("\u2013");
    running.put("links", List.of());
    assertThat(Visitor.text(alice.get("/").body(), "running-link")).isEqualTo("\u2013");
  }

  @Test
  void chargesNameTheirLinkAndAreFilteredByIt() {
    peer.charges.add(PeerServer.charge("c1", "alice"));
    String page = alice.get("/accounts/alice/charges?link=wlan0").body();
    assertThat(Visitor.text(page, "charge-link")).isEqualTo("wlan0");
    assertThat(page).contains("name=\"link\" value=\"wlan0\"", "charges.csv?", "link=wlan0");
    assertThat(peer.asked)
        .anyMatch(address -> address.contains("/charges?") && address.contains("link=wlan0"))
        .anyMatch(address -> address.contains("/usage?") && address.contains("link=wlan0"));
    assertThat(Visitor.text(alice.get("/charges/c1").body(), "charge-link")).isEqualTo("wlan0");
  }

  @Test
  void eachReasonOfARefusalHasAnAdviceOfItsOwnOnTheHome() {
    Set<String> told = new HashSet<>();
    for (String reason :
        List.of("credit", "cap-day", "cap-month", "blocked", "suspended", "closed")) {
      peer.funds.put("refused", reason);
      told.add(Visitor.text(alice.get("/").body(), "refused"));
    }
    assertThat(told).hasSize(6).noneMatch(String::isBlank);
    assertThat(told.stream().filter(text -> text.contains("A top-up lets it pass"))).hasSize(1);
    peer.funds.put("refused", "none");
    assertThat(alice.get("/").body()).doesNotContain("data-testid=\"refused\"");
  }

  @Test
  void chargesOfADayAreSummedByApplicationAndLeadToTheirIntervals() {
    peer.usage.put(
        "usage",
        List.of(
            sums("2026-11-20", "ssh", "1000000"),
            sums("2026-11-20", "web", "2000000"),
            sums("2026-11-19", "web", "4000000")));
    String page = alice.get("/accounts/alice/charges").body();
    assertThat(Visitor.text(page, "group-day")).contains("2026-11-20", "4", "1.00 den", "3.00 den");
    assertThat(page.split("data-testid=\"group-row\"")).hasSize(4);
    assertThat(page)
        .contains("from=2026-11-20&amp;to=2026-11-21&amp;by=application&amp;application=ssh");
    assertThat(peer.asked).anyMatch(address -> address.contains("by=day%2Capplication"));
  }

  @Test
  void theDaysOfALinkLeadToTheChargesOfThatLink() {
    peer.usage.put("usage", List.of(sums("2026-11-20", "ssh", "1000000")));
    String page = alice.get("/accounts/alice/charges?link=wlan0").body();
    for (String part : List.of("group-day", "group-row")) {
      String row = page.substring(page.indexOf("data-testid=\"" + part));
      assertThat(row.substring(0, row.indexOf("</tr>"))).as(part).contains("link=wlan0");
    }
  }

  @Test
  void sumsAreTakenByDeviceAndWithTheFilterThatWasChosen() {
    String page = alice.get("/accounts/alice/charges?by=device&application=ssh").body();
    assertThat(page).contains("data-testid=\"charges-total\"");
    assertThat(peer.asked)
        .anyMatch(
            address -> address.contains("by=day%2Cdevice") && address.contains("application=ssh"));
  }

  @Test
  void devicesHaveTheNamesThatTheirUserGaveThem() {
    String known = "q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq80";
    String removed = "mF3kZ0b1n2l5y6x7w8v9u0t1s2r3q4p5o6n7m8l9k0A";
    Map<String, Object> phone = sums("2026-11-20", null, "1000000");
    phone.put("device", known);
    Map<String, Object> gone = sums("2026-11-20", null, "2000000");
    gone.put("device", removed);
    peer.usage.put("usage", List.of(phone, gone));
    String page = alice.get("/accounts/alice/charges?by=device&device=" + removed).body();
    assertThat(Visitor.text(page, "group-row")).startsWith("red phone");
    assertThat(page)
        .contains("device=" + known)
        .contains(">mF3kZ0b1\u2026</a>")
        .contains("<option value=\"" + removed + "\" selected>mF3kZ0b1\u2026")
        .contains("<option value=\"" + known + "\">red phone</option>");
    Map<String, Object> charge = PeerServer.charge("c1", "alice");
    charge.put("device", known);
    peer.charges.add(charge);
    assertThat(Visitor.text(alice.get("/charges/c1").body(), "charge-device"))
        .isEqualTo("red phone " + known);
  }

  @Test
  void sumsThatKnowNeitherStateNorRelayAreNotShownForThem() {
    assertThat(alice.get("/accounts/alice/charges?state=final").body())
        .doesNotContain("data-testid=\"charges-total\"");
    assertThat(alice.get("/accounts/alice/charges?snapt=snapt-1").body())
        .doesNotContain("data-testid=\"charges-total\"");
  }

  @Test
  void savingsAreAMonthByDayAndClassInTheViewersZone() {
    alice.keep("VIADUCT_ZONE", "Europe/Warsaw");
    peer.usage.put("usage", List.of(sums("2026-10-20", null, "1000000")));
    String page = alice.get("/accounts/alice/savings?month=2026-10").body();
    assertThat(Visitor.text(page, "savings-row")).contains("2026-10-20", "500 mden", "60.0 %");
    assertThat(page).contains("month=2026-09");
    assertThat(peer.asked.getLast())
        .contains("from=2026-09-30T22%3A00%3A00Z", "to=2026-10-31T23%3A00%3A00Z", "by=day%2Cclass");
  }

  @Test
  void monthThatIsNoneIsThisMonth() {
    for (String month : List.of("yesterday", "0000-01", "99999-01", "2026-13")) {
      assertThat(alice.get("/accounts/alice/savings?month=" + month).statusCode()).isEqualTo(200);
    }
  }
}
