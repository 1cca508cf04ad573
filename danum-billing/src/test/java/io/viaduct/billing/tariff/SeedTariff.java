package io.viaduct.billing.tariff;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// The tariff of the seed as it was stored before documents had versions: every class is priced at
/// the measured point, without fees. The shared database has it as version 1.
public final class SeedTariff {
  private SeedTariff() {}

  /// Returns the document, byte for byte as it was stored.
  public static String document() {
    try (InputStream in =
        Objects.requireNonNull(SeedTariff.class.getResourceAsStream("seed.json"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Tariff read() {
    return TariffDocument.parse(document());
  }

  /// Returns the tariff with another operating point for every class.
  public static Tariff at(OperatingPoint point) {
    return at(point, "{}");
  }

  /// Returns the tariff with another operating point for every class, and with other values for the
  /// keys of a JSON object.
  public static Tariff at(OperatingPoint point, String changes) {
    ObjectNode tree = TariffDocument.tree(read());
    tree.get("classes").values().forEach(curve -> ((ObjectNode) curve).put("point", point.name()));
    JsonMapper.shared()
        .readTree(changes)
        .properties()
        .forEach(change -> tree.set(change.getKey(), change.getValue()));
    return TariffDocument.parse(tree.toString());
  }
}
