package io.viaduct.sip.digest;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Nonces returned in credentials with the correct password for them. Input: one octet, then the
/// rest. If bit 0 is set, the rest is combined with an issued nonce by exclusive or, else it is the
/// nonce. If bit 1 is set, the lifetime passes first. Rules: only the issued text is recognised,
/// with its time of issue. It authenticates during its lifetime and once per count, any other text
/// never.
final class NonceFuzz {
  private static final byte[] KEY = new byte[32];
  private static final InetAddress HOME = InetAddress.ofLiteral("192.0.2.1");
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration LIFETIME = Duration.ofMinutes(5);
  private static final Nonce ISSUED = Nonce.issue(KEY, HOME, START.toEpochMilli(), 42);
  private static final String HEADER = "Authorization";
  private static final String HA1 = DigestAlgorithm.SHA_256.ha1("alice", "ims.test", "secret");
  private static final SipRequest REGISTER =
      new SipRequest("REGISTER", "sip:ims.test", SipHeaders.NONE);

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 1) {
      return;
    }
    Optional<Nonce> found = Nonce.recognise(KEY, HOME, text(input, ISSUED.encoded()));
    Optional<Nonce> right =
        text(input, ISSUED.encoded()).equals(ISSUED.encoded())
            ? Optional.of(ISSUED)
            : Optional.empty();
    if (!found.equals(right)) {
      throw new AssertionError("recognised: " + found + ", issued: " + ISSUED);
    }
    Instant[] now = {START};
    DigestServer server =
        new DigestServer(
            "ims.test",
            new AlgorithmOffer(List.of(DigestAlgorithm.SHA_256), List.of()),
            LIFETIME,
            4,
            (user, _) -> user.equals("alice") ? Optional.of(HA1) : Optional.empty(),
            () -> now[0]);
    String issued = issued(server);
    SipRequest request;
    try {
      request = withCredentials(text(input, issued));
    } catch (IllegalArgumentException _) {
      return; // a line break ends a header before its value is read here
    }
    boolean late = (input[0] & 2) != 0;
    if (late) {
      now[0] = START.plus(LIFETIME).plusMillis(1);
    }
    boolean good = text(input, issued).equals(issued);
    expect(server, request, good, late ? DigestRefusal.STALE_NONCE : null);
    expect(server, request, good, late ? DigestRefusal.STALE_NONCE : DigestRefusal.REPLAYED);
  }

  private static String issued(DigestServer server) {
    if (server.check(REGISTER, HEADER, HOME, "alice", _ -> true)
        instanceof DigestOutcome.Refused(var _, var challenges)) {
      return DigestChallenge.parse(challenges.getFirst()).orElseThrow().nonce();
    }
    throw new AssertionError("nobody asked for credentials");
  }

  private static SipRequest withCredentials(String nonce) {
    DigestCredentials open =
        new DigestCredentials(
            DigestAlgorithm.SHA_256,
            "alice",
            "ims.test",
            nonce,
            "sip:ims.test",
            "auth",
            "00000001",
            "c",
            "");
    return REGISTER.with(
        HEADER, open.withResponse(open.expectedResponse(HA1, "REGISTER")).encode());
  }

  /// Checks the server's decision.
  ///
  /// @param why null: a good nonce authenticates
  private static void expect(
      DigestServer server, SipRequest request, boolean good, DigestRefusal why) {
    DigestOutcome outcome = server.check(request, HEADER, HOME, "alice", _ -> true);
    boolean right =
        switch (outcome) {
          case DigestOutcome.Authenticated(String user) ->
              good && why == null && user.equals("alice");
          case DigestOutcome.Refused(DigestRefusal reason, var _) -> !good || reason == why;
        };
    if (!right) {
      throw new AssertionError((good ? "an issued nonce: " : "another text: ") + outcome);
    }
  }

  private static String text(byte[] input, String issued) {
    byte[] rest = Arrays.copyOfRange(input, 1, input.length);
    if ((input[0] & 1) == 0) {
      return new String(rest, StandardCharsets.UTF_8);
    }
    byte[] text = issued.getBytes(StandardCharsets.ISO_8859_1);
    byte[] over = Arrays.copyOf(text, Math.max(text.length, rest.length));
    for (int i = 0; i < rest.length; i++) {
      over[i] ^= rest[i];
    }
    return new String(over, StandardCharsets.ISO_8859_1);
  }

  static List<byte[]> seeds() {
    byte[] first = {1, 1};
    byte[] last = new byte[33];
    last[0] = 1;
    last[32] = 1;
    byte[] longer = new byte[34];
    longer[0] = 1;
    longer[33] = '=';
    return List.of(
        new byte[] {1},
        new byte[] {3},
        first,
        last,
        longer,
        ("\0" + ISSUED.encoded()).getBytes(StandardCharsets.US_ASCII),
        "\0\"x\\".getBytes(StandardCharsets.US_ASCII),
        new byte[] {0});
  }
}
