package io.viaduct.billing.tariff;

import io.viaduct.service.configuration.Refusals;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.MapperBuilder;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// Reads and writes tariffs as text: YAML in files, JSON in the database and over REST. Both have
/// the same kebab-case keys, and the names of enumerations in any case. [DocumentVersion] says how
/// documents of earlier versions are read.
public final class TariffDocument {
  private static final JsonMapper JSON = strict(JsonMapper.builder()).build();
  private static final YAMLMapper YAML = strict(YAMLMapper.builder()).build();

  private TariffDocument() {}

  private static <B extends MapperBuilder<?, B>> B strict(B builder) {
    return builder
        .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
        .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);
  }

  /// Returns the tariff that a new installation starts with.
  public static Tariff initial() {
    try (InputStream in = TariffDocument.class.getResourceAsStream("tariff.yml")) {
      if (in == null) {
        throw new IllegalStateException("tariff.yml is not in the jar");
      }
      return tariff(YAML.readTree(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Reads a tariff from a file, YAML or JSON.
  ///
  /// @throws IOException if the file cannot be read
  /// @throws TariffRefusedException naming place, knot and rule
  public static Tariff load(Path file) throws IOException {
    String text = Files.readString(file);
    try {
      return tariff(YAML.readTree(text));
    } catch (JacksonException e) {
      throw new TariffRefusedException(TariffRule.NOT_A_TARIFF, e.getOriginalMessage());
    }
  }

  /// Reads a tariff.
  ///
  /// @throws TariffRefusedException naming place, knot and rule
  public static Tariff parse(String json) {
    return tariff(read(json));
  }

  /// Reads a surcharge.
  ///
  /// @throws TariffRefusedException naming place and rule
  public static Surcharge parseSurcharge(String json) {
    return bind(read(json), Surcharge.class);
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JacksonException e) {
      throw new TariffRefusedException(TariffRule.NOT_A_TARIFF, e.getOriginalMessage());
    }
  }

  /// Returns the tariff as JSON. Every double is written so that reading returns the same bits.
  public static String print(Tariff tariff) {
    return JSON.writeValueAsString(tree(tariff));
  }

  /// Returns the curve of one application as a JSON tree: that of its class in a tariff, with the
  /// application's references.
  public static ObjectNode tree(Curve curve) {
    ObjectNode tree = JSON.valueToTree(curve.tariff());
    return tree.put("reference-throughput", curve.referenceThroughput())
        .put("reference-delay", curve.referenceDelay());
  }

  /// Returns a surcharge as JSON.
  static String print(Surcharge surcharge) {
    return JSON.writeValueAsString(surcharge);
  }

  /// Returns a surcharge as a JSON tree, to embed it in an answer.
  public static ObjectNode tree(Surcharge surcharge) {
    return JSON.valueToTree(surcharge);
  }

  /// Returns the tariff as a JSON tree, to embed it in an answer.
  public static ObjectNode tree(Tariff tariff) {
    return DocumentVersion.stamped(JSON.valueToTree(tariff));
  }

  private static Tariff tariff(JsonNode document) {
    return bind(DocumentVersion.upgraded(document), Tariff.class);
  }

  private static <R extends Record> R bind(JsonNode tree, Class<R> type) {
    try {
      return JSON.treeToValue(tree, type);
    } catch (JacksonException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof TariffRefusedException refused) {
          throw e.getPath().isEmpty() ? refused.inTariff() : refused.in(place(e));
        }
      }
      throw new TariffRefusedException(
          TariffRule.NOT_A_TARIFF, String.join("; ", Refusals.of(JSON, tree, type)));
    }
  }

  private static String place(JacksonException e) {
    return e.getPath().stream()
        .map(step ->
            step.getPropertyName() == null ? "[" + step.getIndex() + "]" : step.getPropertyName())
        .reduce((a, b) -> a + "." + b)
        .orElseThrow();
  }
}
