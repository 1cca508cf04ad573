package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TokenPagesTest {
  private static final String PAGE = "/accounts/alice/tokens";

  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  @Test
  void aNewTokenIsShownOnce() {
    try (Visitor alice = Visitor.alice()) {
      String csrf = Visitor.hidden(alice.get(PAGE).body(), "_csrf");
      alice.post(PAGE, Map.of("_csrf", csrf, "name", "reader", "scopes", "read", "days", "30"));
      assertThat(peer.changes.getLast())
          .contains("\"name\":\"reader\"", "\"scopes\":[\"read\"]", "\"expiresAt\":\"");
      assertThat(alice.get(PAGE).body()).contains("vdt_shown-once");
      assertThat(alice.get(PAGE).body()).doesNotContain("vdt_shown-once");
    }
  }

  @Test
  void aTokenIsRevokedByItsHolderAndByAnOperator() {
    try (Visitor alice = Visitor.alice();
        Visitor olga = Visitor.operator()) {
      for (Visitor visitor : new Visitor[] {alice, olga}) {
        String page = visitor.get(PAGE).body();
        assertThat(page).contains("data-testid=\"token-revoked\"");
        visitor.post(PAGE + "/3/revoke", Map.of("_csrf", Visitor.hidden(page, "_csrf")));
        assertThat(peer.changes.getLast()).isEqualTo("DELETE /accounts/alice/tokens/3");
      }
      assertThat(olga.get(PAGE).body()).doesNotContain("data-testid=\"token-form\"");
      assertThat(alice.get("/accounts/bob/tokens").statusCode()).isEqualTo(403);
    }
  }

  @Test
  void auditorsAndOwnersOfSnaptsHaveTokensOfTheirOwn() {
    try (Visitor aude = Visitor.signedIn("aude", "audits all");
        Visitor acme = Visitor.signedIn("acme", "owns relays")) {
      assertThat(aude.get("/accounts/aude/tokens").body()).contains("data-testid=\"token-form\"");
      assertThat(acme.get("/accounts/acme/tokens").body()).contains("data-testid=\"token-form\"");
      assertThat(aude.get(PAGE).body())
          .doesNotContain("data-testid=\"token-form\"", "data-testid=\"revoke-form\"");
    }
  }
}
