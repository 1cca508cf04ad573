package io.viaduct.sip.digest;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.CSeq;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipUri;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Header values that the guard passes on unchanged. Rule: parsing returns a value or throws
/// IllegalArgumentException; a value that is written and read again is the same.
final class FieldFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    refusable(() -> {
      SipUri uri = SipUri.parse(text);
      if (!uri.host().startsWith("[") && !SipUri.parse(uri.toString()).equals(uri)) {
        throw new AssertionError("'" + uri + "' is read otherwise than it was written");
      }
    });
    refusable(() -> NameAddress.parse(text).sipUri());
    refusable(() -> HostPort.parse(text));
    refusable(() -> CSeq.parse(text));
    refusable(() -> {
      DigestCredentials given = DigestCredentials.parse(text);
      DigestCredentials again = DigestCredentials.parse(given.encode());
      if (!again.username().equals(given.username()) || !again.nonce().equals(given.nonce())) {
        throw new AssertionError("credentials are read otherwise than they were written");
      }
    });
    refusable(() -> DigestChallenge.parse(text).map(DigestChallenge::encode));
  }

  private static void refusable(Runnable parser) {
    try {
      parser.run();
    } catch (IllegalArgumentException _) {
      return; // the callers turn the exception into a refusal
    }
  }

  static List<byte[]> seeds() {
    return List.of(
            "sip:alice@[2001:db8::1]:5060;transport=tcp;lr",
            "\"Al \\\" ice\" <sip:alice@ims.test>;tag=1",
            "7 REGISTER",
            "Digest username=\"a\", realm=\"r\", nonce=\"n\", uri=\"sip:x\", response=\"00\","
                + " algorithm=SHA-256, qop=auth, nc=00000001, cnonce=\"c\"",
            "Digest realm=\"r\", nonce=\"n\", algorithm=MD5, qop=\"auth,auth-int\", stale=true")
        .stream()
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }
}
