package io.viaduct.webgui.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VendoredFilesTest {
  private static final String UPLOT = "/static/assets/vendor/uplot/";

  @Test
  void filesOfUplotAreThoseOfTheirPackageAndCarryTheirLicence() throws Exception {
    assertThat(checked(UPLOT)).isEqualTo(3);
    assertThat(text(UPLOT + "LICENSE")).contains("The MIT License");
    assertThat(text(UPLOT + "uPlot.iife.min.js")).contains("v1.6.32");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/fonts/mplus/", "/fonts/nanum/"})
  void fontsOfTheStatementAreThoseOfTheirPackageAndCarryTheirLicence(String font) throws Exception {
    assertThat(checked(font)).isEqualTo(2);
    assertThat(text(font + "LICENSE")).contains("SIL Open Font License, Version 1.1");
  }

  /// Compares the files of a directory with its list of sums, and returns their number.
  private static int checked(String directory) throws Exception {
    List<String> sums = text(directory + "SHA256SUMS").lines().toList();
    for (String sum : sums) {
      String[] parts = sum.split(" {2}");
      assertThat(sha256(bytes(directory + parts[1]))).as(parts[1]).isEqualTo(parts[0]);
    }
    return sums.size();
  }

  private static String text(String resource) throws IOException {
    return new String(bytes(resource), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String resource) throws IOException {
    try (var stream = VendoredFilesTest.class.getResourceAsStream(resource)) {
      return Objects.requireNonNull(stream, resource).readAllBytes();
    }
  }

  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
