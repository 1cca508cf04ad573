package io.viaduct.sip.guard;

import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.stun.StunMessage;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Reads one message, or gives the reason of its refusal. Checks in this order: size, end of head,
/// characters, header lines, start line, headers that identify it (Via, From, To, Call-ID, CSeq),
/// other headers, body. A request whose lines can be read may be answered (RFC 4475 has such
/// requests, and the answers). Thread-safe; allocates in proportion to the message.
public final class MessageGuard {
  private static final byte[] END_OF_HEAD = {'\r', '\n', '\r', '\n'};

  // No answer repeats the Request-URI, which may be what is wrong.
  private static final String URI_OF_ANSWERABLE = "sip:refused.invalid";

  private final GuardLimits limits;

  public MessageGuard(GuardLimits limits) {
    this.limits = limits;
  }

  public GuardLimits limits() {
    return limits;
  }

  /// Reads a whole datagram. Bytes after the body are dropped, and without Content-Length the body
  /// ends at the datagram's end (RFC 3261 section 18.3).
  public Verdict datagram(byte[] bytes) {
    if (isLineEnds(bytes)) {
      return new Verdict.KeepAlive();
    }
    if (StunMessage.isClaimed(bytes)) {
      StunMessage stun = StunMessage.read(bytes);
      return stun == null ? refused(Refusal.MALFORMED_STUN) : new Verdict.Stun(stun);
    }
    if (bytes.length < 16) {
      return refused(Refusal.TOO_SHORT);
    }
    if (bytes.length > limits.headBytes() + limits.bodyBytes()) {
      return tooLong(Refusal.TOO_LONG, bytes).refused();
    }
    int headLength = endOfHead(bytes, bytes.length);
    if (headLength < 0) {
      return refused(Refusal.NO_END_OF_HEAD);
    }
    return switch (head(bytes, headLength)) {
      case Head.Bad(Verdict.Refused refused) -> refused;
      case Head.Good good -> {
        int rest = bytes.length - headLength;
        int length = good.bodyLength() == HeaderRules.NO_LENGTH ? rest : good.bodyLength();
        if (length > rest) {
          yield new Verdict.Refused(Refusal.CONTENT_LENGTH_MISMATCH, good.answerable());
        }
        yield length > limits.bodyBytes()
            ? new Verdict.Refused(Refusal.BODY_TOO_LONG, good.answerable())
            : new Verdict.Accepted(good.message(body(bytes, headLength, length)));
      }
    };
  }

  /// Reads a head from a stream, including its empty line. The next message begins after the body,
  /// so its length must be known.
  public Head streamHead(byte[] bytes, int headLength) {
    return switch (head(bytes, headLength)) {
      case Head.Good good when good.bodyLength() == HeaderRules.NO_LENGTH ->
          bad(Refusal.MISSING_CONTENT_LENGTH, good.answerable());
      case Head.Good good when good.bodyLength() > limits.bodyBytes() ->
          bad(Refusal.BODY_TOO_LONG, good.answerable());
      case Head read -> read;
    };
  }

  private Head head(byte[] bytes, int headLength) {
    if (headLength > limits.headBytes()) {
      return tooLong(Refusal.HEAD_TOO_LONG, bytes);
    }
    HeadText text = null;
    SipRequest answerable = null;
    try {
      text = HeadText.read(bytes, headLength, limits);
      answerable = answerable(StartLine.methodOf(text.startLine()), text.headers());
      StartLine start = StartLine.parse(text.startLine());
      HeaderRules.checkIdentity(text.headers(), limits);
      String method = start instanceof StartLine.Request request ? request.method() : "";
      HeaderRules.checkRest(text.headers(), method);
      return new Head.Good(start, text.headers(), HeaderRules.contentLength(text.headers()));
    } catch (RefusedException e) {
      boolean isAnswered = text == null && e.reason().status() != 0;
      return bad(
          e.reason(), isAnswered ? IdentityLines.find(bytes, bytes.length, limits) : answerable);
    }
  }

  /// Refuses a message that is too long, of which some or all bytes have arrived.
  public Head.Bad tooLong(Refusal reason, byte[] bytes) {
    return bad(reason, IdentityLines.find(bytes, bytes.length, limits));
  }

  /// Returns true for a byte that no head may contain, so that an incomplete head can be refused.
  ///
  /// @param before the byte before it
  public static boolean isForeign(byte before, byte c) {
    return HeadText.isForeign(before, c);
  }

  /// Returns the offset after the empty line, or -1 if the empty line has not arrived.
  public static int endOfHead(byte[] bytes, int length) {
    for (int i = 0; i + END_OF_HEAD.length <= length; i++) {
      if (bytes[i] == '\r'
          && bytes[i + 1] == '\n'
          && bytes[i + 2] == '\r'
          && bytes[i + 3] == '\n') {
        return i + END_OF_HEAD.length;
      }
    }
    return -1;
  }

  /// Returns a request that may be answered: with a Via, by which the answer finds its way. An ACK
  /// is never answered (RFC 3261 section 17).
  ///
  /// @param method empty for a response, and for a line that cannot be read
  static @Nullable SipRequest answerable(String method, SipHeaders headers) {
    return method.isEmpty() || method.equals("ACK") || !HeaderRules.leadsBack(headers)
        ? null
        : new SipRequest(method, URI_OF_ANSWERABLE, headers);
  }

  private static SipBody body(byte[] bytes, int from, int length) {
    return length == 0 ? SipBody.EMPTY : SipBody.of(Arrays.copyOfRange(bytes, from, from + length));
  }

  private static boolean isLineEnds(byte[] bytes) {
    for (byte b : bytes) {
      if (b != '\r' && b != '\n') {
        return false;
      }
    }
    return bytes.length <= 8;
  }

  private static Verdict refused(Refusal reason) {
    return new Verdict.Refused(reason, null);
  }

  private static Head.Bad bad(Refusal reason, @Nullable SipRequest answerable) {
    return new Head.Bad(new Verdict.Refused(reason, reason.status() == 0 ? null : answerable));
  }

  /// Result of reading a head.
  public sealed interface Head {
    /// A refused head.
    ///
    /// @param refused the reason and the request to answer
    record Bad(Verdict.Refused refused) implements Head {}

    /// A valid head whose body has not been read.
    ///
    /// @param bodyLength bytes that follow; -1 without Content-Length, in datagrams only
    record Good(StartLine start, SipHeaders headers, int bodyLength) implements Head {
      /// Returns the message with its body.
      public SipMessage message(SipBody body) {
        return switch (start) {
          case StartLine.Request(var method, var uri) -> new SipRequest(method, uri, headers, body);
          case StartLine.Status(int code, var reason) ->
              new SipResponse(code, reason, headers, body);
        };
      }

      @Nullable SipRequest answerable() {
        return start instanceof StartLine.Request request
            ? MessageGuard.answerable(request.method(), headers)
            : null;
      }
    }
  }
}
