package io.viaduct.sip.guard;

import io.viaduct.sip.FieldText;
import io.viaduct.sip.SipHeader;
import io.viaduct.sip.SipHeaders;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The start line and header lines of a message: characters checked, lines unfolded, split into
/// names and values. Their meaning is not checked here.
record HeadText(String startLine, SipHeaders headers) {
  private static final Pattern TOKEN = Pattern.compile(FieldText.TOKEN_CHARACTER + "{1,128}");

  /// Reads the head, which ends with an empty line.
  static HeadText read(byte[] bytes, int length, GuardLimits limits) throws RefusedException {
    checkCharacters(bytes, length);
    String text = decode(bytes, length);
    String[] lines = text.substring(0, text.length() - 4).split("\r\n", -1);
    List<SipHeader> headers = new ArrayList<>(lines.length);
    int next = 1;
    while (next < lines.length) {
      StringBuilder line = new StringBuilder(lines[next++]);
      while (next < lines.length && isContinuation(lines[next])) {
        line.append(' ').append(lines[next++].strip());
      }
      if (line.length() > limits.lineBytes()) {
        throw new RefusedException(Refusal.LINE_TOO_LONG);
      }
      if (headers.size() >= limits.headers()) {
        throw new RefusedException(Refusal.TOO_MANY_HEADERS);
      }
      headers.add(header(line.toString()));
    }
    if (lines[0].length() > limits.lineBytes()) {
      throw new RefusedException(Refusal.LINE_TOO_LONG);
    }
    return new HeadText(lines[0], new SipHeaders(headers));
  }

  private static boolean isContinuation(String line) {
    return !line.isEmpty() && (line.charAt(0) == ' ' || line.charAt(0) == '\t');
  }

  private static SipHeader header(String line) throws RefusedException {
    int colon = line.indexOf(':');
    String name = colon < 0 ? "" : line.substring(0, colon).stripTrailing();
    if (!TOKEN.matcher(name).matches()) {
      throw new RefusedException(Refusal.MALFORMED_HEADER);
    }
    return new SipHeader(name, line.substring(colon + 1).strip());
  }

  /// Returns true for a byte that no head may contain. One such byte shows that the text is not
  /// SIP. A quoted pair may hold any control character but a line end (RFC 3261 section 25.1).
  ///
  /// @param before the byte before it
  static boolean isForeign(byte before, byte c) {
    boolean isControl = c >= 0 && c < ' ' && c != '\t' && c != '\r' && c != '\n' || c == 0x7f;
    return isControl && before != '\\';
  }

  private static void checkCharacters(byte[] bytes, int length) throws RefusedException {
    for (int i = 0; i < length; i++) {
      byte c = bytes[i];
      if (isForeign(i == 0 ? 0 : bytes[i - 1], c)) {
        throw new RefusedException(c == 0 ? Refusal.NUL_BYTE : Refusal.CONTROL_CHARACTER);
      }
      if (c == '\n' && (i == 0 || bytes[i - 1] != '\r')) {
        throw new RefusedException(Refusal.BARE_LINE_FEED);
      }
      if (c == '\r' && (i + 1 >= length || bytes[i + 1] != '\n')) {
        throw new RefusedException(Refusal.BARE_CARRIAGE_RETURN);
      }
    }
  }

  private static String decode(byte[] bytes, int length) throws RefusedException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException e) {
      throw new RefusedException(Refusal.NOT_UTF8);
    }
  }
}
