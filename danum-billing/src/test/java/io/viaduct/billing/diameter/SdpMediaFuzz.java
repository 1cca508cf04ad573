package io.viaduct.billing.diameter;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.billing.call.MediaPlace;
import io.viaduct.fuzzing.Corpus;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the SDP lines of credit-control requests: the first line is the medium, the others are of
/// the session and of the medium in turn. Rule: the places are numeric addresses with ports, and
/// not more than the limit.
final class SdpMediaFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    List<String> lines = new String(input, StandardCharsets.UTF_8).lines().toList();
    List<String> rest = lines.isEmpty() ? lines : lines.subList(1, lines.size());
    Set<MediaPlace> places =
        SdpMedia.of(SdpMediaTest.request(rest, lines.isEmpty() ? "" : lines.getFirst(), rest));
    if (places.size() > SdpMedia.PLACES_MAX) {
      throw new AssertionError(places.size() + " places");
    }
    for (MediaPlace place : places) {
      String again = InetAddress.ofLiteral(place.address()).getHostAddress();
      if (!again.equals(place.address()) || place.port() < 1 || place.port() > 65_535) {
        throw new AssertionError("accepted: " + place);
      }
    }
  }

  static List<byte[]> seeds() {
    return List.of(
            "m=audio 4000 RTP/AVP 0\nc=IN IP4 192.0.2.7\na=rtcp:4005 IN IP6 2001:db8::1\na=rtcp:4007",
            "audio 65535 RTP/AVP 0\nc=IN IP4 192.0.2.7/127/3",
            "video 99999 RTP/AVP 0\nc=IN IP6 ::ffff:192.0.2.7\na=candidate:1 1 udp 1 ::1 5000 typ host",
            "m= / \nc=IN IP4 1\na=rtcp:\na=candidate: 1 UDP")
        .stream()
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }
}
