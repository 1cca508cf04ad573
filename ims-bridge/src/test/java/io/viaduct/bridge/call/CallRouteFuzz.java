package io.viaduct.bridge.call;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the text of a call's route, and the Route that brings it back. Input: the text. Rules:
///
/// - a text is no route, or the route's own text names the same route
/// - a Route that this bridge has not written is no call
final class CallRouteFuzz {
  private static final CallRoutes ROUTES = new CallRoutes(new byte[] {1}, "");

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    Optional<CallRoute> route = CallRoute.parse(text);
    if (!route.equals(route.flatMap(found -> CallRoute.parse(found.text())))) {
      throw new AssertionError(text + " is read as " + route);
    }
    SipHeaders headers =
        SipHeaders.NONE
            .with("From", "<sip:a@b>;tag=1")
            .with("To", "<sip:c@d>;tag=2")
            .with("Call-ID", "e")
            .with("Route", text.replaceAll("[\r\n]", " "));
    if (ROUTES.read(new SipRequest("BYE", "sip:f@g", headers)).isPresent()) {
      throw new AssertionError("a forged route: " + text);
    }
  }

  static List<byte[]> seeds() {
    return List.of(
            "alice\nudp:192.0.2.1:5060\nbob\ntcp:[2001:db8::1]:5061",
            "alice 0123456789ab\nudp:192.0.2.1:5060\nbob \ntcp:[2001:db8::1]:5061",
            "alice\nudp:192.0.2.1\nbob\ntcp:h:1",
            "a\n:\nb\n:",
            "<sip:AAAAAAAAAAAAAAAAAAAAAAAAAAAA@h;lr>, <sip:x@h>",
            "<sip:")
        .stream()
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }
}
