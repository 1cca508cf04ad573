package io.viaduct.sip.guard;

import io.viaduct.sip.FieldText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The first line of a message (RFC 3261 sections 7.1 and 7.2).
sealed interface StartLine {
  record Request(String method, String uri) implements StartLine {}

  record Status(int code, String reason) implements StartLine {}

  Pattern REQUEST =
      Pattern.compile(
          "("
              + FieldText.TOKEN_CHARACTER
              + "{1,64}) ([^ \\t<>\"\\\\]{3,1024}) (SIP/\\d{1,3}\\.\\d{1,3})");
  Pattern LIKE_REQUEST =
      Pattern.compile(
          "(" + FieldText.TOKEN_CHARACTER + "{1,64})[ \\t].*SIP/\\d{1,3}\\.\\d{1,3}[ \\t]*");
  Pattern SIP_URI = Pattern.compile("(?i)sips?:");
  Pattern STATUS = Pattern.compile("SIP/2\\.0 ([1-6]\\d\\d)(?: (.{0,256}))?");
  Pattern OTHER_STATUS = Pattern.compile("SIP/\\d{1,3}\\.\\d{1,3} .*");

  static StartLine parse(String line) throws RefusedException {
    Matcher status = STATUS.matcher(line);
    if (status.matches()) {
      String reason = status.group(2);
      return new Status(Integer.parseInt(status.group(1)), reason == null ? "" : reason);
    }
    if (OTHER_STATUS.matcher(line).matches()) {
      throw new RefusedException(Refusal.MALFORMED_START_LINE);
    }
    Matcher request = REQUEST.matcher(line);
    if (!request.matches() || request.group(2).indexOf(':') < 1) {
      throw new RefusedException(Refusal.MALFORMED_START_LINE);
    }
    if (!request.group(3).equals("SIP/2.0")) {
      throw new RefusedException(Refusal.VERSION_NOT_SUPPORTED);
    }
    String uri = request.group(2);
    if (SIP_URI.matcher(uri).lookingAt() && uri.indexOf('?', uri.lastIndexOf('@') + 1) >= 0) {
      throw new RefusedException(Refusal.URI_HEADERS);
    }
    return new Request(request.group(1), uri);
  }

  /// Returns the method of a request line, also of one that [#parse] refuses; empty if the line is
  /// none.
  static String methodOf(String line) {
    Matcher request = LIKE_REQUEST.matcher(line);
    return request.matches() ? request.group(1) : "";
  }
}
