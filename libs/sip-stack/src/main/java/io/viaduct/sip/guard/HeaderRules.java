package io.viaduct.sip.guard;

import io.viaduct.sip.CSeq;
import io.viaduct.sip.FieldText;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipHeaders;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Checks the headers that every message needs (RFC 3261 sections 8.1.1 and 20), before the message
/// is answered or processed.
final class HeaderRules {
  private static final Pattern VIA =
      Pattern.compile(
          "SIP\\s*/\\s*2\\.0\\s*/\\s*[A-Za-z0-9-]{1,8}\\s+"
              + HostPort.HOST
              + "(\\s*:\\s*(?<port>\\d{1,5}))?\\s*"
              // No comment, because RFC 3261 has dropped it from Via. No brackets, because commas
              // and semicolons do not separate in them.
              + "(;[^()<>\\\\]*)?",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern SENT_BY =
      Pattern.compile(
          "SIP\\s*/\\s*[0-9.]{1,8}\\s*/\\s*[A-Za-z0-9-]{1,8}\\s+"
              + HostPort.HOST
              + "(\\s*:\\s*(?<port>\\d{1,5}))?\\s*(;[^()<>\"\\\\]*)?",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern CALL_ID = Pattern.compile("[^\\s@]{1,256}(@[^\\s@]{1,256})?");
  private static final Pattern NAME =
      Pattern.compile("(" + FieldText.TOKEN_CHARACTER + "|\\s|[^\\x00-\\x7f])*");
  private static final Pattern TAG = Pattern.compile(FieldText.TOKEN_CHARACTER + "+");
  // Leading zeros count for nothing (RFC 3261 section 25.1: 1*DIGIT).
  private static final Pattern HOPS = Pattern.compile("0{0,61}(\\d{1,3})");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,10}");
  private static final Pattern LENGTH = Pattern.compile("\\d{1,9}");

  /// Stands for a length that is not declared.
  static final int NO_LENGTH = -1;

  /// Headers that carry one number and no list (RFC 3262, 3261, 3903, 5393).
  private static final List<String> NUMERIC =
      List.of("RSeq", "Expires", "Min-Expires", "Max-Breadth");

  private static final List<String> SINGLE =
      List.of("From", "To", "Call-ID", "CSeq", "Max-Forwards", "Event", "Subscription-State");

  private HeaderRules() {}

  /// Checks the headers without which a message cannot be answered.
  static void checkIdentity(SipHeaders headers, GuardLimits limits) throws RefusedException {
    checkVia(headers, limits);
    checkAddress(headers, "From", Refusal.MISSING_FROM);
    checkAddress(headers, "To", Refusal.MISSING_TO);
    String callId = one(headers, "Call-ID", Refusal.MISSING_CALL_ID);
    if (!CALL_ID.matcher(callId).matches()) {
      throw new RefusedException(Refusal.MALFORMED_CALL_ID);
    }
    String cseq = one(headers, "CSeq", Refusal.MISSING_CSEQ);
    try {
      CSeq.parse(cseq);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(Refusal.MALFORMED_CSEQ);
    }
  }

  /// Checks the other headers. Each fault here can be answered.
  static void checkRest(SipHeaders headers, String requestMethod) throws RefusedException {
    for (String name : SINGLE) {
      if (headers.all(name).size() > 1) {
        throw new RefusedException(Refusal.DUPLICATE_HEADER);
      }
    }
    for (String name : NUMERIC) {
      for (String value : headers.all(name)) {
        if (!NUMBER.matcher(value).matches()) {
          throw new RefusedException(Refusal.MALFORMED_NUMBER);
        }
      }
    }
    if (requestMethod.isEmpty()) {
      return;
    }
    if (!CSeq.parse(headers.require("CSeq")).method().equals(requestMethod)) {
      throw new RefusedException(Refusal.CSEQ_METHOD_MISMATCH);
    }
    String hops = headers.first("Max-Forwards").orElse("0"); // requests of RFC 2543 have none
    Matcher written = HOPS.matcher(hops);
    if (!written.matches() || Integer.parseInt(written.group(1)) > 255) {
      throw new RefusedException(Refusal.MALFORMED_MAX_FORWARDS);
    }
    for (String contact : headers.values("Contact")) {
      // Without brackets nothing tells where a URI with header fields ends (RFC 3261 section 20).
      if (contact.indexOf('?') >= 0 && contact.indexOf('<') < 0) {
        throw new RefusedException(Refusal.MALFORMED_ADDRESS);
      }
    }
  }

  /// Returns the declared length of the body, in bytes; [#NO_LENGTH] without a Content-Length.
  static int contentLength(SipHeaders headers) throws RefusedException {
    List<String> values = headers.all("Content-Length");
    if (values.isEmpty()) {
      return NO_LENGTH;
    }
    if (values.size() > 1) {
      throw new RefusedException(Refusal.DUPLICATE_CONTENT_LENGTH);
    }
    if (!LENGTH.matcher(values.getFirst()).matches()) {
      throw new RefusedException(Refusal.MALFORMED_CONTENT_LENGTH);
    }
    return Integer.parseInt(values.getFirst());
  }

  private static void checkVia(SipHeaders headers, GuardLimits limits) throws RefusedException {
    List<String> lines = headers.all("Via");
    if (lines.isEmpty()) {
      throw new RefusedException(Refusal.MISSING_VIA);
    }
    int count = 0;
    for (String line : lines) {
      // Checked before the value is split, because quoting rules must hide neither of the two.
      if (line.indexOf('\\') >= 0) {
        throw new RefusedException(Refusal.VIA_BACKSLASH);
      }
      checkParentheses(line);
      List<String> values = FieldText.split(line, ',');
      count += values.size();
      for (String value : values) {
        Matcher via = VIA.matcher(value);
        if (!via.matches() || !isPort(via.group("port")) || !quotesMatch(value)) {
          throw new RefusedException(Refusal.MALFORMED_VIA);
        }
      }
      if (values.isEmpty()) {
        throw new RefusedException(Refusal.MALFORMED_VIA);
      }
    }
    if (count > limits.vias()) {
      throw new RefusedException(Refusal.TOO_MANY_VIAS);
    }
  }

  /// Returns whether the topmost Via tells where an answer goes, whatever follows.
  static boolean leadsBack(SipHeaders headers) {
    List<String> vias = headers.values("Via");
    Matcher sentBy = SENT_BY.matcher(vias.isEmpty() ? "" : vias.getFirst());
    return sentBy.matches() && isPort(sentBy.group("port"));
  }

  private static boolean isPort(@Nullable String digits) {
    return digits == null || Integer.parseInt(digits) <= 65_535;
  }

  private static void checkParentheses(String line) throws RefusedException {
    int depth = 0;
    for (int i = 0; i < line.length() && depth >= 0; i++) {
      depth += line.charAt(i) == '(' ? 1 : line.charAt(i) == ')' ? -1 : 0;
    }
    if (depth != 0) {
      throw new RefusedException(Refusal.VIA_UNBALANCED_PARENTHESES);
    }
  }

  private static void checkAddress(SipHeaders headers, String name, Refusal missing)
      throws RefusedException {
    String value = one(headers, name, missing);
    try {
      NameAddress address = NameAddress.parse(value);
      if (address.uri().indexOf(':') < 1
          || address.uri().chars().anyMatch(c -> c <= ' ' || c == '"' || c == '<')
          || address.parameters().containsKey("tag") && !TAG.matcher(address.tag()).matches()
          || !quotesMatch(value)
          || !isDisplayName(value)) {
        throw new RefusedException(Refusal.MALFORMED_ADDRESS);
      }
    } catch (IllegalArgumentException e) {
      throw new RefusedException(Refusal.MALFORMED_ADDRESS);
    }
  }

  // A display name is a quoted string or tokens (RFC 3261 section 25.1). UTF-8 in tokens is in use.
  private static boolean isDisplayName(String value) {
    int open = value.indexOf('<');
    return open < 0 || value.indexOf('"') >= 0 || NAME.matcher(value.substring(0, open)).matches();
  }

  private static boolean quotesMatch(String value) {
    boolean quoted = false;
    for (int i = 0; i < value.length(); i++) {
      if (quoted && value.charAt(i) == '\\') {
        i++;
      } else if (value.charAt(i) == '"') {
        quoted = !quoted;
      }
    }
    return !quoted;
  }

  private static String one(SipHeaders headers, String name, Refusal missing)
      throws RefusedException {
    return headers.first(name).orElseThrow(() -> new RefusedException(missing));
  }
}
