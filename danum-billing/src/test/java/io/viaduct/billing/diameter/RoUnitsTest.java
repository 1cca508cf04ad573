package io.viaduct.billing.diameter;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.configuration.DiameterSettings.Ro.Unit;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.diameter.credit.Money;
import io.viaduct.diameter.credit.ServiceUnits;
import java.math.BigDecimal;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RoUnitsTest {
  private static final long EURO = 978;
  private final RoUnits specific = new RoUnits(Unit.SPECIFIC, 999);
  private final RoUnits money = new RoUnits(Unit.MONEY, EURO);

  private static ServiceUnits money(String amount, OptionalLong currency) {
    return ServiceUnits.ofMoney(new Money(new BigDecimal(amount), currency));
  }

  @Test
  void requestsHaveTheConfiguredUnit() {
    assertThat(specific.of(new MicroDenarii(1_500_000)))
        .isEqualTo(ServiceUnits.ofSpecific(1_500_000));
    assertThat(money.of(new MicroDenarii(1_500_000)))
        .isEqualTo(money("1.500000", OptionalLong.of(EURO)));
  }

  @Test
  void grantsMayHaveEitherUnit() {
    assertThat(money.read(ServiceUnits.ofSpecific(7))).hasValue(new MicroDenarii(7));
    assertThat(money.read(money("12E+2", OptionalLong.of(EURO))))
        .hasValue(new MicroDenarii(1_200_000_000));
    assertThat(money.read(money("0.0000019", OptionalLong.empty())))
        .as("a part of a micro-denarius is none")
        .hasValue(new MicroDenarii(1));
    assertThat(specific.read(money("1", OptionalLong.of(999))))
        .hasValue(new MicroDenarii(1_000_000));
  }

  @Test
  void anotherUnitOrCurrencyIsNoCredit() {
    assertThat(money.read(ServiceUnits.ofSeconds(60))).isEmpty();
    assertThat(money.read(ServiceUnits.ofOctets(1_000))).isEmpty();
    assertThat(money.read(ServiceUnits.UNSPECIFIED)).isEmpty();
    assertThat(money.read(money("1", OptionalLong.of(840)))).as("dollars").isEmpty();
  }

  @Test
  void aGrantBeyondReasonFitsASum() {
    MicroDenarii most = new MicroDenarii(1_000_000_000_000_000L);
    assertThat(specific.read(ServiceUnits.ofSpecific(Long.MAX_VALUE))).hasValue(most);
    assertThat(money.read(money("9E+30", OptionalLong.of(EURO)))).hasValue(most);
    assertThat(money.read(money("-5", OptionalLong.of(EURO)))).hasValue(MicroDenarii.ZERO);
  }
}
