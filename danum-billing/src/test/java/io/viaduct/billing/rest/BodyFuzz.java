package io.viaduct.billing.rest;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.TariffRefusedException;
import io.viaduct.fuzzing.Corpus;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.converter.HttpMessageNotReadableException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// Fuzzes the JSON bodies of the REST interface. Input: one octet that selects the resource, then
/// the JSON. Rule: the body is parsed, or refused with a text of JsonBody.
final class BodyFuzz {
  private static final JsonMapper JSON = JsonBody.mapper();
  private static final List<Class<?>> BODIES =
      List.of(
          SessionsResource.Login.class,
          UsersResource.NewAccount.class,
          TopUpsResource.NewTopUp.class,
          TariffsResource.NewTariff.class,
          Map.class);

  private static final HttpInputMessage EMPTY =
      new HttpInputMessage() {
        @Override
        public InputStream getBody() {
          return InputStream.nullInputStream();
        }

        @Override
        public HttpHeaders getHeaders() {
          return new HttpHeaders();
        }
      };

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 1) {
      return;
    }
    byte[] body = java.util.Arrays.copyOfRange(input, 1, input.length);
    int which = Math.floorMod(input[0], BODIES.size() + 1);
    if (which == BODIES.size()) {
      tariff(new String(body, StandardCharsets.UTF_8));
      return;
    }
    try {
      JSON.readValue(body, BODIES.get(which));
    } catch (JacksonException e) {
      if (JsonBody.explain(new HttpMessageNotReadableException("-", e, EMPTY)).isEmpty()) {
        throw new AssertionError("refused without a word", e);
      }
    }
  }

  private static void tariff(String json) {
    try {
      TariffDocument.print(TariffDocument.parse(json));
    } catch (TariffRefusedException _) {
      return; // answered with 422
    }
  }

  static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    String[] bodies = {
      "\0{\"user\":\"alice\",\"password\":\"p\"}",
      "\1{\"id\":\"bob\",\"password\":\"p\",\"role\":\"user\",\"displayName\":null}",
      "\2{\"amountMicrodenarii\":\"5000000\",\"reference\":\"r\"}",
      "\3{\"effectiveFrom\":\"2026-01-31T00:00:00Z\",\"tariff\":{\"a\":[1]}}",
      "\2{\"amountMicrodenarii\":5,\"amountMicrodenarii\":\"5\"}",
      "\4{}",
      "\5" + TariffDocument.print(TariffDocument.initial())
    };
    for (String body : bodies) {
      seeds.add(body.getBytes(StandardCharsets.UTF_8));
    }
    return seeds;
  }
}
