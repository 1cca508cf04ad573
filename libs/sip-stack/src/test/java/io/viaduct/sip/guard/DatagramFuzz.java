package io.viaduct.sip.guard;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipSeeds;
import io.viaduct.sip.endpoint.ResponseRoute;
import io.viaduct.sip.jain.ParserProbe;
import java.text.ParseException;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Datagrams at the SIP port. Rules: the guard never throws. Every checked part of an accepted
/// message can be read, and the message is accepted again after encoding, also with its source
/// written into it. An answer or a refusal goes back to the request's source ([ResponseRoute]). The
/// stack's parser ends on each response.
final class DatagramFuzz {
  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    switch (GUARD.datagram(input)) {
      case Verdict.KeepAlive _, Verdict.Stun _ -> {}
      case Verdict.Refused(var _, var answerable) -> {
        if (answerable != null) {
          ResponseRoute.require(answerable);
        }
      }
      case Verdict.Accepted(SipMessage message) -> accepted(message);
    }
  }

  private static void accepted(SipMessage message) {
    message.from();
    message.to();
    message.cseq();
    message.callId();
    message.headers().values("Via");
    requireAcceptedAgain(message);
    switch (message) {
      case SipRequest request ->
          ResponseRoute.require(request).forEach(DatagramFuzz::requireAcceptedAgain);
      case SipResponse response -> requireThatTheStackEnds(response);
    }
  }

  private static void requireAcceptedAgain(SipMessage message) {
    byte[] again = message.encode();
    if (again.length <= GuardLimits.STANDARD.headBytes()
        && !(GUARD.datagram(again) instanceof Verdict.Accepted)) {
      throw new AssertionError("accepted, but not as it is written: " + GUARD.datagram(again));
    }
  }

  private static void requireThatTheStackEnds(SipResponse response) {
    try {
      ParserProbe.parseAsReceived(response);
    } catch (ParseException _) {
      // counted as STACK_PARSER in service; it matters only that it ended
    }
  }

  static List<byte[]> seeds() {
    return SipSeeds.all();
  }
}
