package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WebhookPagesTest {
  private static final String PAGE = "/accounts/alice/webhooks";

  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  private String send(Visitor visitor, String path, Map<String, String> form) {
    Map<String, String> whole = new HashMap<>(form);
    whole.put("_csrf", Visitor.hidden(visitor.get(PAGE).body(), "_csrf"));
    visitor.post(path, whole);
    return peer.changes.getLast();
  }

  @Test
  void aWebhookIsMadeAndItsSecretShownOnce() {
    try (Visitor alice = Visitor.alice()) {
      String sent =
          send(alice, PAGE, Map.of("url", "https://hooks.example/a", "events", "balance.low"));
      assertThat(sent)
          .contains("\"url\":\"https://hooks.example/a\"", "\"events\":[\"balance.low\"]")
          .doesNotContain("allAccounts");
      assertThat(alice.get(PAGE).body()).contains("vds_shown-once");
      assertThat(alice.get(PAGE).body())
          .doesNotContain("vds_shown-once", "report.discrepancy", "name=\"allAccounts\"");
    }
  }

  @Test
  void aDisabledOneIsEnabledAndADeliverySentAgain() {
    try (Visitor alice = Visitor.alice()) {
      assertThat(send(alice, PAGE + "/5/enable", Map.of()))
          .startsWith("PUT /accounts/alice/webhooks/5 ");
      assertThat(send(alice, PAGE + "/5/resend", Map.of("delivery", "2")))
          .startsWith("POST /accounts/alice/webhooks/5/deliveries/2/resend");
      assertThat(send(alice, PAGE + "/5/secret", Map.of()))
          .startsWith("POST /accounts/alice/webhooks/5/secret");
      assertThat(send(alice, PAGE + "/5/delete", Map.of()))
          .startsWith("DELETE /accounts/alice/webhooks/5");
    }
  }

  @Test
  void onlyAnOperatorsOwnWebhookMayBeForAllAccounts() {
    try (Visitor olga = Visitor.operator();
        Visitor aude = Visitor.signedIn("aude", "audits all")) {
      assertThat(olga.get("/accounts/olga/webhooks").body())
          .contains("report.discrepancy", "name=\"allAccounts\"");
      assertThat(olga.get(PAGE).body()).doesNotContain("name=\"allAccounts\"");
      assertThat(aude.get(PAGE).body()).doesNotContain("webhook-form", "rotate-form");
      assertThat(aude.get(PAGE + "/5").body()).doesNotContain("resend-form");
    }
  }
}
