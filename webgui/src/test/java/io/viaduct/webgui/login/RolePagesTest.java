package io.viaduct.webgui.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PageAddresses;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Scenery;
import io.viaduct.webgui.Visitor;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The pages of auditors and of owners of SNAPTs.
class RolePagesTest {
  private static final Pattern FORM =
      Pattern.compile("<form[^>]*method=\"post\"[^>]*action=\"([^\"]*)\"");

  private PeerServer peer;

  @BeforeEach
  void busyPeer() {
    peer = RunningWebgui.freshPeer();
    Scenery.arrange(peer);
  }

  @Test
  void anAuditorReadsThePagesOfOperatorsAndFindsNoFormInThem() {
    try (Visitor aude = Visitor.signedIn("aude", "audits all")) {
      for (String address : PageAddresses.OF_OPERATORS) {
        if (address.contains("/drafts/") || address.matches(".*/(release|void|rollback)")) {
          continue; // steps of a change
        }
        var page = aude.get(address);
        assertThat(page.statusCode()).as(address).isEqualTo(200);
        assertThat(
                FORM.matcher(page.body())
                    .results()
                    .map((MatchResult form) -> form.group(1))
                    .filter(action -> !action.matches("/logout|/language")))
            .as(address)
            .isEmpty();
      }
      assertThat(Visitor.location(aude.get("/"))).endsWith("/operator");
    }
  }

  @Test
  void theAuditLogShowsWhatDiffers() {
    try (Visitor aude = Visitor.signedIn("aude", "audits all")) {
      String page = aude.get("/audit?about=alice").body();
      assertThat(page)
          .contains("state: active → suspended", "ticket-17")
          .doesNotContain("id: alice");
      var file = aude.get("/audit.csv");
      assertThat(file.headers().firstValue("Content-Disposition").orElse(""))
          .contains("viaduct-audit.csv");
      assertThat(file.body()).startsWith("id,at");
      try (Visitor alice = Visitor.alice()) {
        assertThat(alice.get("/audit").statusCode()).isEqualTo(403);
      }
    }
  }

  @Test
  void whatAnAuditorSendsChangesNothing() {
    try (Visitor aude = Visitor.signedIn("aude", "audits all")) {
      String csrf = Visitor.hidden(aude.get("/operator").body(), "_csrf");
      for (String path :
          new String[] {
            "/vouchers",
            "/accounts",
            "/snapts/remove",
            "/snapts/drain",
            "/ledger/verify",
            "/accounts/alice/state",
            "/accounts/alice/devices",
            "/accounts/alice/password",
            "/accounts/alice/limits/caps",
            "/accounts/alice/redemptions"
          }) {
        assertThat(aude.post(path, Map.of("_csrf", csrf)).statusCode()).as(path).isEqualTo(403);
      }
      assertThat(peer.ordered).isEmpty();
      assertThat(peer.changes).isEmpty();
      // Its own password it may change: 400 is the missing form field.
      assertThat(aude.post("/accounts/aude/password", Map.of("_csrf", csrf)).statusCode())
          .isEqualTo(400);
    }
  }

  @Test
  void anOwnerOfSnaptsSeesTheirFeesAndNothingElse() {
    try (Visitor acme = Visitor.signedIn("acme", "owns relays")) {
      assertThat(Visitor.location(acme.get("/"))).endsWith("/owners/acme/fees");
      String page = acme.get("/owners/acme/fees").body();
      assertThat(page).contains("snapt-9", "2026-11-19", "data-microdenarii=\"7500000\"");
      for (String other :
          new String[] {
            "/owners/other/fees", "/accounts/acme", "/accounts/alice", "/operator", "/snapts"
          }) {
        assertThat(acme.get(other).statusCode()).as(other).isEqualTo(403);
      }
    }
  }
}
