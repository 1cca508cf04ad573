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

class VendoredFilesTest {
  private static final String UPLOT = "/static/assets/vendor/uplot/";

  @Test
  void filesOfUplotAreThoseOfTheirPackageAndCarryTheirLicence() throws Exception {
    List<String> sums =
        new String(bytes(UPLOT + "SHA256SUMS"), StandardCharsets.UTF_8).lines().toList();
    assertThat(sums).hasSize(3);
    for (String sum : sums) {
      String[] parts = sum.split(" {2}");
      assertThat(sha256(bytes(UPLOT + parts[1]))).as(parts[1]).isEqualTo(parts[0]);
    }
    assertThat(new String(bytes(UPLOT + "LICENSE"), StandardCharsets.UTF_8))
        .contains("The MIT License");
    assertThat(new String(bytes(UPLOT + "uPlot.iife.min.js"), StandardCharsets.UTF_8))
        .contains("v1.6.32");
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
