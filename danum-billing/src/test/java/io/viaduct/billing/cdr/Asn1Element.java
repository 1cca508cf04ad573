package io.viaduct.billing.cdr;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// An element of encoded values, as `openssl asn1parse` finds it.
///
/// @param offset octets before it
/// @param depth 0 for the outermost one
/// @param header octets of its tag and its length
/// @param length octets of its content
/// @param type such as `prim: cont [ 3 ]`
record Asn1Element(int offset, int depth, int header, int length, String type) {
  private static final Pattern LINE =
      Pattern.compile(
          "^ *(\\d+):d=(\\d+) +hl=(\\d+) +l= *(\\d+) +(prim|cons): (.*?) *$", Pattern.MULTILINE);

  /// Parses values, one after the other, by a program that is not ours.
  static List<Asn1Element> parse(byte[] values) {
    if (values.length == 0) {
      return List.of();
    }
    try {
      Process openssl =
          new ProcessBuilder("openssl", "asn1parse", "-inform", "DER")
              .redirectErrorStream(true)
              .start();
      try (OutputStream in = openssl.getOutputStream()) {
        in.write(values);
      }
      String lines = new String(openssl.getInputStream().readAllBytes(), US_ASCII);
      if (openssl.waitFor() != 0) {
        throw new AssertionError(lines);
      }
      return LINE.matcher(lines).results().map(Asn1Element::of).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Asn1Element of(MatchResult line) {
    return new Asn1Element(
        Integer.parseInt(line.group(1)),
        Integer.parseInt(line.group(2)),
        Integer.parseInt(line.group(3)),
        Integer.parseInt(line.group(4)),
        line.group(5) + ": " + line.group(6));
  }

  int end() {
    return offset + header + length;
  }

  byte[] content(byte[] values) {
    return Arrays.copyOfRange(values, offset + header, end());
  }
}
