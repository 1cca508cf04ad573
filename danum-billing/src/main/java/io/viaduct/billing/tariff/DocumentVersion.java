package io.viaduct.billing.tariff;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The versions of the form of a tariff document. A document of an earlier version is read with the
/// meaning that it had; a document is always written in the present one.
///
/// | version | what it added |
/// |---|---|
/// | 1 | no key `document-version`; all classes are priced at the measured point |
/// | 2 | `point` of each class, `beneficiary` of the discount; `fees`, `caps`, `refunds`, `credit-failure` and `relay-share`, each of which may be left out |
final class DocumentVersion {
  static final int CURRENT = 2;

  private static final String KEY = "document-version";
  private static final String CLASSES = "classes";
  private static final String DISCOUNT = "discount";
  private static final String RELAY_SHARE = "relay-share";
  private static final List<String> OPTIONAL = List.of("fees", "caps", "refunds", "credit-failure");

  private DocumentVersion() {}

  /// Returns the document in the present form, without its version.
  ///
  /// @throws TariffRefusedException for an unknown version, and for keys that its version does not
  ///   have
  static JsonNode upgraded(JsonNode document) {
    if (!(document instanceof ObjectNode tree)) {
      return document;
    }
    ObjectNode upgraded = tree.deepCopy();
    int version = version(upgraded.remove(KEY));
    if (version == 1) {
      toSecond(upgraded);
    }
    for (String key : OPTIONAL) {
      if (!upgraded.has(key)) {
        upgraded.putObject(key);
      }
    }
    if (!upgraded.has(RELAY_SHARE)) {
      upgraded.put(RELAY_SHARE, 0.0);
    }
    return upgraded;
  }

  /// Returns a document in the present form with its version.
  static ObjectNode stamped(ObjectNode document) {
    ObjectNode stamped = document.objectNode().put(KEY, CURRENT);
    return stamped.setAll(document);
  }

  private static int version(@Nullable JsonNode version) {
    if (version == null) {
      return 1;
    }
    if (!version.isInt() || version.asInt() < 1 || version.asInt() > CURRENT) {
      throw new TariffRefusedException(
          TariffRule.DOCUMENT_VERSION,
          "%s must be a number from 1 to %d, got %s".formatted(KEY, CURRENT, shown(version)));
    }
    return version.asInt();
  }

  private static String shown(JsonNode version) {
    return version.isNumber() ? version.toString() : version.getNodeType().toString();
  }

  private static void toSecond(ObjectNode document) {
    if (document.get(CLASSES) instanceof ObjectNode classes) {
      for (JsonNode each : classes.values()) {
        add(each, "point", OperatingPoint.MEASURED.name());
      }
    }
    add(document.get(DISCOUNT), "beneficiary", Beneficiary.USER.name());
    OPTIONAL.forEach(key -> requireAbsent(document, key));
    requireAbsent(document, RELAY_SHARE);
  }

  private static void add(@Nullable JsonNode object, String key, String value) {
    if (object instanceof ObjectNode old) {
      requireAbsent(old, key);
      old.put(key, value);
    }
  }

  // A key of a later version shows that its author forgot the version. Its value must not be lost.
  private static void requireAbsent(ObjectNode object, String key) {
    if (object.has(key)) {
      throw new TariffRefusedException(
          TariffRule.DOCUMENT_VERSION,
          "the key '%s' needs %s: %d, which is missing or lower".formatted(key, KEY, CURRENT));
    }
  }
}
