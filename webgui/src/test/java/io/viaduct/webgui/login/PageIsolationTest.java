package io.viaduct.webgui.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PageAddresses;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Scenery;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/// Asks for every page as a user to whom it does not belong. The pages are those that the service
/// serves, so a new one is tried without a change here.
class PageIsolationTest {
  /// Pages without an account, for everybody or for each user.
  private static final Set<String> OPEN =
      Set.of(
          "/",
          "/error",
          "/login",
          "/login/code",
          "/reset",
          "/language",
          "/statement-roots.json",
          "/charges/{id}");

  private PeerServer peer;

  @BeforeEach
  void busyPeer() {
    peer = RunningWebgui.freshPeer();
    Scenery.arrange(peer);
    peer.charges.add(PeerServer.charge("c-bob", "bob"));
  }

  private record Request(RequestMethod method, String pattern) {
    /// Returns the address with bob's account, and with 1 for each other name.
    String address() {
      return pattern
          .replace("{account}", "bob")
          .replace("{owner}", "acme")
          .replaceAll("\\{\\w+(:[^/]*)?}", "1");
    }

    HttpResponse<String> by(Visitor visitor, String csrf) {
      return method == RequestMethod.GET
          ? visitor.get(address())
          : visitor.post(address(), Map.of("_csrf", csrf));
    }
  }

  private static List<Request> requests() {
    List<Request> all = new ArrayList<>();
    RunningWebgui.context()
        .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
        .getHandlerMethods()
        .keySet()
        .forEach(mapping -> {
          for (String pattern : mapping.getPatternValues()) {
            Set<RequestMethod> methods = mapping.getMethodsCondition().getMethods();
            if (!OPEN.contains(pattern)) {
              (methods.isEmpty() ? Set.of(RequestMethod.GET) : methods)
                  .forEach(method -> all.add(new Request(method, pattern)));
            }
          }
        });
    return all;
  }

  @Test
  void aUserReachesNoPageOfAnotherAccountOrOfOperators() {
    try (Visitor alice = Visitor.alice()) {
      String csrf = Visitor.hidden(alice.get("/").body(), "_csrf");
      int ofAccounts = 0;
      for (Request request : requests()) {
        HttpResponse<String> answer = request.by(alice, csrf);
        assertThat(answer.statusCode()).as(request.toString()).isEqualTo(403);
        assertThat(answer.body()).as(request.toString()).doesNotContain("Bob B.");
        ofAccounts += request.pattern().startsWith("/accounts/{account}") ? 1 : 0;
      }
      assertThat(ofAccounts).isGreaterThan(40);
      assertThat(alice.get("/charges/c-bob").statusCode()).isEqualTo(404);
      assertThat(peer.received).isEmpty();
      assertThat(peer.ordered).isEmpty();
      assertThat(peer.changes).isEmpty();
    }
  }

  @Test
  void theAddressesOfAUsersPagesAreClosedToAnotherUser() {
    try (Visitor alice = Visitor.alice()) {
      for (String address : PageAddresses.OF_USERS) {
        if (address.startsWith("/accounts/alice")) {
          assertThat(alice.get(address).statusCode()).as(address).isEqualTo(200);
          assertThat(alice.get(address.replace("/alice", "/bob")).statusCode())
              .as(address)
              .isEqualTo(403);
        }
      }
    }
  }
}
