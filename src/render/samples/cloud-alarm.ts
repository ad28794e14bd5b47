import type { Payload } from '../../domain/incident.ts'
import type { Sample } from './sample.ts'

function alarm(resolved: boolean): Payload {
  return {
    AlarmName: 'api-5xx-rate',
    AlarmDescription: 'More than 2 % of the requests to the public API fail.',
    AWSAccountId: '000000000042',
    NewStateValue: resolved ? 'OK' : 'ALARM',
    OldStateValue: resolved ? 'ALARM' : 'OK',
    NewStateReason: resolved
      ? 'Threshold Crossed: 1 datapoint [0.4 (09/03/26 11:30:00)] was not greater than the threshold (2.0).'
      : 'Threshold Crossed: 3 out of the last 3 datapoints were greater than the threshold (2.0): [6.1, 5.7, 3.9].',
    StateChangeTime: '2026-03-09T11:20:41.512+0000',
    Region: 'EU (Frankfurt)',
    AlarmArn: 'arn:aws:cloudwatch:eu-central-1:000000000042:alarm:api-5xx-rate',
    Trigger: {
      MetricName: 'HTTPCode_Target_5XX_Count',
      Namespace: 'AWS/ApplicationELB',
      StatisticType: 'Statistic',
      Statistic: 'SUM',
      Dimensions: [
        { name: 'LoadBalancer', value: 'app/public-api/50dc6c495c0c9188' },
        { name: 'AvailabilityZone', value: 'eu-central-1b' },
      ],
      Period: 60,
      EvaluationPeriods: 3,
      Threshold: 2,
    },
  }
}

export const CLOUD_ALARM: readonly Sample[] = [
  { name: 'Cloud alarm: firing', sender: 'cloud_alarm', payload: alarm(false) },
  { name: 'Cloud alarm: resolved', sender: 'cloud_alarm', payload: alarm(true) },
]
