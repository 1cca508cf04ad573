package io.viaduct.sip.guard;

import io.viaduct.sip.ResponseRoute;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipSeeds;
import io.viaduct.sip.jain.ParserProbe;
import java.text.ParseException;
import java.util.List;

/// Datagrams at the SIP port. Rules: the guard never throws. Every checked part of an accepted
/// message can be read, the message is accepted again after encoding, and the stack's parser ends
/// on it. An answer or a refusal goes back to the request's source ([ResponseRoute]). A message
/// that the stack accepts is also accepted with its source written into it.
public final class DatagramFuzz {
  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);

  private DatagramFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    switch (GUARD.datagram(input)) {
      case Verdict.KeepAlive _ -> {}
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
    byte[] again = message.encode();
    if (again.length <= GuardLimits.STANDARD.headBytes()
        && !(GUARD.datagram(again) instanceof Verdict.Accepted)) {
      throw new AssertionError("accepted, but not as it is written: " + GUARD.datagram(again));
    }
    boolean parsed = isParsed(message);
    if (message instanceof SipRequest request) {
      for (SipRequest stamped : ResponseRoute.require(request)) {
        if (parsed && !isParsed(stamped)) {
          throw new AssertionError("not parsed any more: " + stamped.headers());
        }
      }
    }
  }

  private static boolean isParsed(SipMessage message) {
    try {
      ParserProbe.parseAsReceived(message);
      return true;
    } catch (ParseException _) {
      return false; // counted as STACK_PARSER in service
    }
  }

  public static List<byte[]> seeds() {
    return SipSeeds.all();
  }
}
