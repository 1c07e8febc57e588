<?xml version="1.0" encoding="utf-8"?>
<?AutomationStudio Version=4.12.2.65 SP?>
<Program SubType="IEC" xmlns="http://br-automation.co.at/AS/Program">
  <Files>
    <File Description="Initialization code">Init.st</File>
    <File Description="Cyclic code">Cyclic.st</File>
    <File Description="Messages to the recorder">Alarms.st</File>
    <File Description="Local variables">Tank.var</File>
  </Files>
</Program>
