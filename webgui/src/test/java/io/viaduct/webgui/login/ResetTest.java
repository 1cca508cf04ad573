package io.viaduct.webgui.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResetTest {
  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  private static HttpResponse<String> set(
      Visitor visitor, String token, String password, String again) {
    HttpResponse<String> link = visitor.get("/reset?token=" + token);
    assertThat(Visitor.location(link)).isEqualTo("/reset");
    String page = visitor.get("/reset").body();
    assertThat(page).doesNotContain(token);
    return visitor.post("/reset", form(page, password, again));
  }

  private static Map<String, String> form(String page, String password, String again) {
    return Map.of(
        "_csrf",
        Visitor.hidden(page, "_csrf"),
        "link",
        Visitor.hidden(page, "link"),
        "newPassword",
        password,
        "again",
        again);
  }

  @Test
  void aFormSetsThePasswordOfItsOwnLinkOnly() {
    Visitor stranger = Visitor.anonymous();
    stranger.get("/reset?token=link-of-alice");
    String ofAlice = stranger.get("/reset").body();
    stranger.get("/reset?token=link-of-bob");
    HttpResponse<String> answer =
        stranger.post("/reset", form(ofAlice, "a new password", "a new password"));
    assertThat(answer.body()).contains("data-problem=\"reset.problem.over\"");
  }

  @Test
  void anOperatorMakesALinkAndTheUserSetsANewPasswordOnce() {
    Visitor olga = Visitor.operator();
    String page = olga.get("/accounts/alice/user").body();
    olga.post("/accounts/alice/password-resets", Map.of("_csrf", Visitor.hidden(page, "_csrf")));
    String shown = olga.get("/accounts/alice/user").body();
    assertThat(shown).containsPattern("value=\"http://[^\"]+/reset\\?token=secret-of-the-link\"");
    assertThat(olga.get("/accounts/alice/user").body()).doesNotContain("secret-of-the-link");

    Visitor stranger = Visitor.anonymous();
    assertThat(set(stranger, "secret-of-the-link", "a new password", "another").body())
        .contains("data-problem=\"user.problem.again\"");
    assertThat(set(stranger, "secret-of-the-link", "short", "short").body())
        .contains("data-problem=\"reset.problem.rule\"");
    HttpResponse<String> done =
        set(stranger, "secret-of-the-link", "a new password", "a new password");
    assertThat(Visitor.location(done)).endsWith("/login?problem=reset");
    assertThat(stranger.get("/login?problem=reset").body())
        .contains("data-problem=\"reset\"", "notice good");
    Visitor.signedIn("alice", "a new password");
    assertThat(set(stranger, "secret-of-the-link", "a third password", "a third password").body())
        .contains("data-problem=\"reset.problem.over\"");
  }

  @Test
  void withoutALinkNoPasswordIsSet() {
    Visitor stranger = Visitor.anonymous();
    String page = stranger.get("/reset").body();
    HttpResponse<String> answer =
        stranger.post("/reset", form(page, "a new password", "a new password"));
    assertThat(answer.body()).contains("data-problem=\"reset.problem.over\"");
  }

  @Test
  void aUserMakesNoLink() {
    Visitor alice = Visitor.alice();
    String page = alice.get("/accounts/alice/user").body();
    assertThat(page).doesNotContain("make-reset");
    HttpResponse<String> answer =
        alice.post(
            "/accounts/alice/password-resets", Map.of("_csrf", Visitor.hidden(page, "_csrf")));
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(peer.reset).isEmpty();
  }
}
