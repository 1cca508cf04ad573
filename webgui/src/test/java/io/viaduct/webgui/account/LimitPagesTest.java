package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LimitPagesTest {
  private static final String PAGE = "/accounts/alice/limits";

  private PeerServer peer;
  private Visitor alice;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
    alice = Visitor.alice();
  }

  private void send(String what, Map<String, String> fields) {
    String page = alice.get(PAGE).body();
    Map<String, String> form = new HashMap<>(fields);
    form.put("_csrf", Visitor.hidden(page, "_csrf"));
    form.put("tag", Visitor.hidden(page, "tag").replace("&quot;", "\""));
    alice.post(PAGE + "/" + what, form);
  }

  @Test
  void capsAndAlertAreSetForTheVersionThatTheUserSaw() {
    send("caps", Map.of("day", "5.5", "month", ""));
    assertThat(alice.get(PAGE).body()).contains("data-testid=\"done\"");
    send("alert", Map.of("low", "2"));
    send("alert", Map.of("low", ""));
    assertThat(peer.money.rules)
        .containsExactly(
            "caps {\"dayMicrodenarii\":\"5500000\"}",
            "alert {\"lowMicrodenarii\":\"2000000\"}",
            "alert {}");
  }

  @Test
  void aChangeBySomebodyElseAndAWrongAmountAreTold() {
    peer.money.changedMeanwhile = true;
    send("caps", Map.of("day", "5"));
    assertThat(alice.get(PAGE).body()).contains("data-problem=\"outcome.changed\"");
    peer.money.changedMeanwhile = false;
    send("alert", Map.of("low", "few"));
    assertThat(alice.get(PAGE).body()).contains("data-problem=\"outcome.amount\"");
    assertThat(peer.money.rules).isEmpty();
  }

  @Test
  void noticesAreListedAndOthersStayOut() {
    peer.money.notices.add(
        Map.of(
            "state", "low", "creditMicrodenarii", "4900000", "noticedAt", "2026-11-20T10:00:00Z"));
    assertThat(alice.get(PAGE).body())
        .contains(
            "data-testid=\"notice-row\" data-state=\"low\"",
            "title=\"4.900000\u00a0den\"",
            ">4.90\u00a0den<");
    assertThat(alice.get("/accounts/bob/limits").statusCode()).isEqualTo(403);
  }
}
