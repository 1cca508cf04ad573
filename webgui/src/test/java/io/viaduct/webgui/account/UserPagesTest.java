package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UserPagesTest {
  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  private static HttpResponse<String> post(
      Visitor visitor, String page, String path, Map<String, String> fields) {
    String shown = visitor.get(page).body();
    Map<String, String> form = new HashMap<>();
    form.put("_csrf", Visitor.hidden(shown, "_csrf"));
    if (shown.contains("name=\"tag\"")) {
      form.put("tag", Visitor.hidden(shown, "tag").replace("&quot;", "\""));
    }
    form.putAll(fields);
    return visitor.post(path, form);
  }

  @Test
  void aUserChangesTheOwnPasswordAndIsToldThatDevicesNeedItToo() {
    Visitor alice = Visitor.alice();
    String page = "/accounts/alice/user";
    assertThat(Visitor.text(alice.get(page).body(), "shared")).contains("Put the new one into");
    post(
        alice,
        page,
        "/accounts/alice/password",
        Map.of("oldPassword", "wonder land", "newPassword", "a new one", "again", "a new one"));
    assertThat(alice.get(page).body()).contains("data-testid=\"done\"");
    assertThat(peer.changes).containsExactly("password alice a new one");
  }

  @Test
  void aWrongOldPasswordOrTwoNewOnesAreToldInWords() {
    Visitor alice = Visitor.alice();
    String page = "/accounts/alice/user";
    post(
        alice,
        page,
        "/accounts/alice/password",
        Map.of("oldPassword", "guess", "newPassword", "a new one", "again", "a new one"));
    assertThat(alice.get(page).body()).contains("the old password is not right");
    post(
        alice,
        page,
        "/accounts/alice/password",
        Map.of("oldPassword", "wonder land", "newPassword", "a new one", "again", "another"));
    assertThat(alice.get(page).body()).contains("data-problem=\"user.problem.again\"");
    assertThat(peer.changes).isEmpty();
  }

  @Test
  void aUserSeesWhatATelephoneMustBeTold() {
    String page = Visitor.alice().get("/accounts/alice/user").body();
    assertThat(Visitor.text(page, "sip-domain")).isEqualTo("ims.test");
    assertThat(Visitor.text(page, "sip-server")).isEqualTo("sip.example.org:5071 (TLS)");
    assertThat(Visitor.text(page, "sip-username")).isEqualTo("alice");
    assertThat(Visitor.text(page, "sip-addresses")).isEqualTo("+41791234567@ims.test");
    assertThat(page)
        .contains(
            "aria-label=\"QR code of sip:alice@ims.test:5071;maddr=sip.example.org;transport=tls\"",
            QrCode.of("sip:alice@ims.test:5071;maddr=sip.example.org;transport=tls").path());
  }

  @Test
  void aUserRemovesADeviceOfTheOwnAccountOnly() {
    Visitor alice = Visitor.alice();
    String page = alice.get("/accounts/alice/user").body();
    assertThat(Visitor.text(page, "device-count")).isEqualTo("1 of 8");
    post(
        alice,
        "/accounts/alice/user",
        "/accounts/alice/devices",
        Map.of("device", Visitor.hidden(page, "device"), "tag", "\"6\""));
    assertThat(alice.get("/accounts/alice/user").body())
        .as("from a page that is too old")
        .contains("data-problem=\"outcome.changed\"");
    assertThat(peer.changes).isEmpty();
    post(
        alice,
        "/accounts/alice/user",
        "/accounts/alice/devices",
        Map.of("device", Visitor.hidden(page, "device"), "tag", "\"7\""));
    assertThat(peer.changes)
        .containsExactly("remove alice q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq80");
    assertThat(alice.get("/accounts/bob/user").statusCode()).isIn(403, 404);
  }

  @Test
  void aDeviceIsNamedOnlyFromAPageThatShowsTheListAsItIs() {
    Visitor alice = Visitor.alice();
    String page = alice.get("/accounts/alice/user").body();
    Map<String, String> old =
        Map.of("device", Visitor.hidden(page, "device"), "tag", "\"6\"", "name", "phone");
    post(alice, "/accounts/alice/user", "/accounts/alice/device-names", old);
    assertThat(alice.get("/accounts/alice/user").body())
        .contains("data-problem=\"outcome.changed\"");
    assertThat(peer.changes).isEmpty();
    Map<String, String> current = new HashMap<>(old);
    current.put("tag", "\"7\"");
    post(alice, "/accounts/alice/user", "/accounts/alice/device-names", current);
    assertThat(peer.changes).containsExactly("name alice {\"name\":\"phone\"}");
  }

  @Test
  void anOperatorSuspendsAndClosesAndAUserMayNot() {
    Visitor olga = Visitor.operator();
    String page = "/accounts/alice/user";
    post(olga, page, "/accounts/alice/state", Map.of("state", "suspended"));
    assertThat(peer.changes).containsExactly("PATCH alice {\"state\":\"suspended\"}");
    post(olga, page, "/accounts/alice/state", Map.of("state", "active", "tag", "\"3\""));
    assertThat(olga.get(page).body()).contains("data-problem=\"outcome.changed\"");
    assertThat(peer.changes).as("of an account that somebody has changed since").hasSize(1);
    post(olga, page, "/accounts/alice/state", Map.of("state", "closed", "sure", "bob"));
    assertThat(olga.get(page).body()).contains("data-problem=\"user.problem.sure\"");
    post(olga, page, "/accounts/alice/state", Map.of("state", "closed", "sure", "alice"));
    assertThat(peer.changes).hasSize(2).last().asString().startsWith("DELETE alice");
    Visitor alice = Visitor.alice();
    assertThat(post(alice, page, "/accounts/alice/state", Map.of("state", "active")).statusCode())
        .isEqualTo(403);
  }

  @Test
  void anOperatorErasesAUserWhoseNameIsWrittenAndGetsToThePseudonym() {
    Visitor olga = Visitor.operator();
    String page = "/accounts/alice/user";
    post(olga, page, "/accounts/alice/erasure", Map.of("sure", "bob"));
    assertThat(olga.get(page).body()).contains("data-problem=\"user.problem.erase\"");
    assertThat(peer.changes).isEmpty();
    assertThat(
            post(olga, page, "/accounts/alice/erasure", Map.of("sure", "alice"))
                .headers()
                .firstValue("Location"))
        .hasValueSatisfying(to -> assertThat(to).endsWith("/accounts/erased-1/user"));
    assertThat(peer.changes).containsExactly("erase alice");
  }

  @Test
  void anOperatorMakesAUser() {
    Visitor olga = Visitor.operator();
    Map<String, String> form =
        Map.of("id", "dave", "displayName", "", "newPassword", "dave's secret");
    HttpResponse<String> answer = post(olga, "/accounts", "/accounts", form);
    assertThat(Visitor.location(answer)).endsWith("/accounts/dave/user");
    assertThat(peer.users).containsKey("dave");
    assertThat(Visitor.location(post(olga, "/accounts", "/accounts", form))).endsWith("/accounts");
    assertThat(olga.get("/accounts").body()).contains("exists, or existed and is closed");
  }

  @Test
  void aFormWithoutItsTokenIsRefused() {
    Visitor olga = Visitor.operator();
    assertThat(olga.post("/accounts/alice/state", Map.of("state", "suspended")).statusCode())
        .isEqualTo(403);
    assertThat(peer.changes).isEmpty();
  }
}
