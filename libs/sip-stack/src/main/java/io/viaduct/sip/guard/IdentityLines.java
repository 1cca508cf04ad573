package io.viaduct.sip.guard;

import io.viaduct.sip.SipHeader;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds the lines that an answer repeats (RFC 3261 section 8.2.6.2) in a head that cannot be read
/// as a whole: one that is too long, or has a line that is none. All other lines are left out.
final class IdentityLines {
  private static final Map<String, String> COMPACT =
      Map.of("v", "Via", "f", "From", "t", "To", "i", "Call-ID");
  private static final Set<String> SINGLE = Set.of("From", "To", "Call-ID", "CSeq");
  private static final char UNREADABLE = '\ufffd';

  /// Most bytes by which an answer is longer than the lines that it repeats: status line, source
  /// address and port in Via, tag, Content-Length.
  private static final int ADDED_BYTES = 192;

  private IdentityLines() {}

  /// Returns the request with these lines only.
  ///
  /// @param length of the message in bytes, which may have arrived in part
  /// @return null if a line is missing, twice or unreadable, or if an answer could be longer than
  ///   the message, whose source may be forged
  static @Nullable SipRequest find(byte[] bytes, int length, GuardLimits limits) {
    String text =
        new String(bytes, 0, Math.min(length, limits.headBytes()), StandardCharsets.UTF_8);
    int end = text.indexOf("\r\n\r\n");
    List<String> lines = unfolded((end < 0 ? text : text.substring(0, end)).split("\r\n", -1));
    List<SipHeader> found = new ArrayList<>();
    int copied = 0;
    for (String line : lines.subList(1, lines.size())) {
      int colon = line.indexOf(':');
      String written = line.substring(0, Math.max(colon, 0)).stripTrailing();
      String name = name(written);
      if (name.isEmpty()) {
        continue;
      }
      if (line.length() > limits.lineBytes() || !isReadable(line)) {
        return null;
      }
      found.add(new SipHeader(name, line.substring(colon + 1).strip()));
      copied += line.getBytes(StandardCharsets.UTF_8).length + 2;
    }
    SipHeaders headers = new SipHeaders(found);
    boolean isWhole = SINGLE.stream().allMatch(name -> headers.all(name).size() == 1);
    return isWhole && copied + ADDED_BYTES <= length
        ? MessageGuard.answerable(StartLine.methodOf(lines.getFirst()), headers)
        : null;
  }

  private static List<String> unfolded(String[] raw) {
    List<String> lines = new ArrayList<>();
    for (String line : raw) {
      boolean isContinuation = line.startsWith(" ") || line.startsWith("\t");
      if (isContinuation && lines.size() > 1) {
        lines.add(lines.removeLast() + ' ' + line.strip());
      } else {
        lines.add(line);
      }
    }
    return lines;
  }

  /// Returns the full name of a header that an answer repeats, else "".
  private static String name(String written) {
    for (Map.Entry<String, String> each : COMPACT.entrySet()) {
      if (written.equalsIgnoreCase(each.getKey()) || written.equalsIgnoreCase(each.getValue())) {
        return each.getValue();
      }
    }
    return written.equalsIgnoreCase("CSeq") ? "CSeq" : "";
  }

  private static boolean isReadable(String line) {
    return line.chars().noneMatch(c -> c < ' ' && c != '\t' || c == 0x7f || c == UNREADABLE);
  }
}
