package io.viaduct.tunnel.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.codec.EntropyTables;
import org.junit.jupiter.api.Test;

class DictionaryArraysTest {
  private final DictionaryArrays arrays = new DictionaryArrays();

  @Test
  void aReturnedArrayIsRentedAgainForTheSameSize() {
    byte[] large = arrays.rent(65_536);
    byte[] small = arrays.rent(16_384);
    arrays.giveBack(large);
    arrays.giveBack(small);
    assertThat(arrays.rent(65_536)).isSameAs(large);
    assertThat(arrays.rent(65_536)).isNotSameAs(large);
    assertThat(arrays.rent(16_384)).isSameAs(small);
    EntropyTables tables = arrays.rentTables();
    arrays.giveBack(tables);
    assertThat(arrays.rentTables()).isSameAs(tables);
  }

  @Test
  void noMoreThanAMebibyteIsKept() {
    byte[] first = arrays.rent(600_000);
    byte[] second = arrays.rent(600_000);
    arrays.giveBack(first);
    arrays.giveBack(second);
    assertThat(arrays.rent(600_000)).isSameAs(first);
    assertThat(arrays.rent(600_000)).isNotSameAs(second);
  }
}
