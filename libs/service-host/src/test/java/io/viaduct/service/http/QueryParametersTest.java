package io.viaduct.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class QueryParametersTest {
  private static final Set<String> KNOWN = Set.of("limit", "cursor", "class");

  @Test
  void knownNamesAndNoQueryPass() {
    assertThat(QueryParameters.refusal(null, KNOWN)).isEmpty();
    assertThat(QueryParameters.refusal("", KNOWN)).isEmpty();
    assertThat(QueryParameters.refusal("limit=5&class=HT%26HD&cursor=", KNOWN)).isEmpty();
    assertThat(QueryParameters.refusal("%6Cimit=5", KNOWN)).isEmpty();
  }

  @Test
  void anUnknownNameIsToldWithTheNamesThatThereAre() {
    assertThat(QueryParameters.refusal("limit=5&form=2026", KNOWN))
        .contains("unknown query parameter 'form'; known parameters: class, cursor, limit");
    assertThat(QueryParameters.refusal("Limit=5", KNOWN)).isPresent();
    assertThat(QueryParameters.refusal("limit=5&", KNOWN)).isPresent();
    assertThat(QueryParameters.refusal("x", Set.of()))
        .contains("unknown query parameter 'x'; this resource has none");
    assertThat(QueryParameters.refusal("y".repeat(5000), KNOWN).orElseThrow()).hasSizeLessThan(150);
  }

  @Test
  void aNameThatIsGivenTwiceOrABrokenEncodingIsRefused() {
    assertThat(QueryParameters.refusal("limit=5&limit=6", KNOWN))
        .contains("the query parameter 'limit' is given twice: send it once");
    assertThat(QueryParameters.refusal("limit=%zz", KNOWN))
        .contains("the query string is not percent-encoded: write % as %25");
  }
}
