package io.viaduct.sip.aka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvFileSource;

class MilenageTest {
  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  @ParameterizedTest
  @CsvFileSource(resources = "milenage.csv", numLinesToSkip = 2)
  void allFunctionsHaveTheValuesOfTheStandard(ArgumentsAccessor set) {
    byte[] k = hex(set.getString(0));
    byte[] rand = hex(set.getString(1));
    byte[] sequence = hex(set.getString(2));
    byte[] amf = hex(set.getString(3));
    byte[] opc = Milenage.opc(k, hex(set.getString(4)));
    Milenage functions = new Milenage(k, opc);
    assertThat(opc).isEqualTo(hex(set.getString(5)));
    assertThat(functions.f1(rand, sequence, amf)).isEqualTo(hex(set.getString(6)));
    assertThat(functions.f1Star(rand, sequence, amf)).isEqualTo(hex(set.getString(7)));
    assertThat(functions.f2(rand)).isEqualTo(hex(set.getString(8)));
    assertThat(functions.f5(rand)).isEqualTo(hex(set.getString(9)));
    assertThat(functions.f3(rand)).isEqualTo(hex(set.getString(10)));
    assertThat(functions.f4(rand)).isEqualTo(hex(set.getString(11)));
    assertThat(functions.f5Star(rand)).isEqualTo(hex(set.getString(12)));
  }

  @Test
  void theTokenOfAChallengeHasHiddenNumberFieldAndProofInThisOrder() {
    // Test set 1: SQN xor AK, AMF, MAC-A.
    AkaKeys keys =
        AkaKeys.ofOp(
            hex("465b5ce8b199b49faa5f0a2ee238a6bc"),
            hex("cdc202d5123e20f62b6d676ac72cb318"),
            hex("b9b9"));
    assertThat(keys.autn(hex("23553cbe9637a89d218ae64dae47bf35"), 0xff9bb4d0b607L))
        .isEqualTo(hex("55f328b43577b9b94a9ffac354dfafb3"));
  }

  @Test
  void keysOfAnotherLengthAreRefusedAndNoKeyIsPrinted() {
    assertThatThrownBy(() -> new AkaKeys(new byte[15], new byte[16], new byte[2]))
        .hasMessage("k must have 16 octets");
    AkaKeys keys = new AkaKeys(new byte[16], hex("cd".repeat(16)), new byte[2]);
    assertThat(keys.toString()).isEqualTo("AkaKeys[(secret)]");
    assertThat(keys)
        .isEqualTo(new AkaKeys(new byte[16], hex("cd".repeat(16)), new byte[2]))
        .isNotEqualTo(new AkaKeys(new byte[16], new byte[16], new byte[2]));
  }
}
